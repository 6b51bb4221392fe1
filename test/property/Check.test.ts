/**
 * `check`: what is wrong with a definition (protocol §3), for who writes it: every fault that the mesh would list, by its
 * path, and how to mend it.
 */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { checkDefinition } from "../../src/core/Check.ts"
import { decide } from "../../src/core/Decide.ts"
import type { Json } from "../../src/core/Json.ts"
import { canary } from "../../src/testing/arbitrary/CoherentDraft.ts"
import { coherentMesh } from "../../src/testing/arbitrary/CoherentMesh.ts"
import { anyJson } from "../../src/testing/arbitrary/JsonValues.ts"
import { lossOf } from "../../src/testing/arbitrary/Loss.ts"
import { wildMesh } from "../../src/testing/arbitrary/WildMesh.ts"
import { check, Met } from "./Law.ts"

const definitionsOf = (
  snapshot: { readonly buckets: { readonly [bucket: string]: { readonly [key: string]: Json } } }
) => Object.entries(snapshot.buckets["mesh-controller_modules"] ?? {})

const definitions = fc.oneof(
  fc.oneof(wildMesh, lossOf(coherentMesh).map(({ after }) => after)).map(definitionsOf),
  anyJson.map((json): ReadonlyArray<readonly [string, Json]> => [["postgres", json]]),
  fc.record({ provides: anyJson, answers: anyJson, directories: anyJson }, { requiredKeys: [] })
    .map((json): ReadonlyArray<readonly [string, Json]> => [["postgres", json]])
)

test("a definition has a fault exactly where the mesh would list it, or a kind that the mesh answers itself (§3, §4)", () => {
  const met = new Met()
  check(
    fc.property(definitions, (all) => {
      for (const [module, definition] of all.filter(([module]) => /^[\w-]{1,200}$/.test(module))) {
        const faults = checkDefinition(definition, module)
        const { conflicts, outOfShape } = decide({
          buckets: { "mesh-controller_modules": Object.fromEntries([[module, definition]]) }
        })
        expect(faults.length > 0).toBe(outOfShape.length + conflicts.length > 0)
        met.count(faults.length > 0 ? "faulty" : "faultless")
      }
    }),
    400
  )
  met.atLeast({ faulty: 100, faultless: 100 })
})

test("each fault says what is wrong and how to mend it, at a path of the definition, and quotes nothing of it (§3)", () => {
  const met = new Met()
  check(
    fc.property(definitions, (all) => {
      for (const [module, definition] of all) {
        for (const { mend, path, what } of checkDefinition(definition, module)) {
          expect(what).not.toBe("")
          expect(mend).not.toBe("")
          expect(what + mend).not.toContain(canary)
          expect(reaches(definition, path), path.join(" > ")).toBe(true)
          met.count(path[0] ?? "whole")
        }
      }
    }),
    400
  )
  met.atLeast({ whole: 15, provides: 85, answers: 50, directories: 30 })
})

/** Whether a path leads to a member of a value, or to one that is missing there. */
const reaches = (value: Json, [step, ...rest]: ReadonlyArray<string>): boolean => {
  if (step === undefined) {
    return true
  }
  const isContainer = typeof value === "object" && value !== null
  return isContainer && (Object.hasOwn(value, step) ? reaches(Object(value)[step], rest) : rest.length === 0)
}
