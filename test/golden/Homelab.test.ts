/**
 * Goal: a whole mesh of six machines is decided as it was worked out to be.
 *
 * Method: the example that the package ships is decided, and the state of each of its provisions, asks and plans is held
 * against `meshes/homelab.states.json`: exactly those, no more and no fewer.
 */
import * as Result from "effect/Result"
import { decide, diff, parseSnapshot, storedIn } from "mesh-provisioner/core"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import states from "./meshes/homelab.states.json" with { type: "json" }

const text = readFileSync(join(import.meta.dirname, "../../examples/homelab.json"), "utf8")
const snapshot = Result.getOrThrowWith(parseSnapshot(text), ({ message }) => new Error(message))

it.each(["provisions", "asks", "plans"] as const)("every state of its %s", (what) => {
  const decided = [...decide(snapshot)[what]].map(([key, { state }]) => [key, state])
  expect(Object.fromEntries(decided)).toEqual(states[what])
})

it("no kind is contested, and one collect item lies at a key that does not read back", () => {
  const decisions = decide(snapshot)
  expect(decisions.conflicts).toEqual([])
  expect(decisions.outOfShape.map(({ bucket, key }) => `${bucket} ${key}`)).toEqual([
    "mesh-provisioner_collect desk.shell=3azsh=3Anormal.vim"
  ])
})

it("it holds facts alone: everything decided would be written", () => {
  const decisions = decide(snapshot)
  const decided = decisions.registry.size + decisions.provisions.size + decisions.asks.size + decisions.plans.size
  expect(diff(storedIn(snapshot), decisions).length).toBe(decided + decisions.answersToDelete.length)
})
