/**
 * The laws of deciding as a whole (protocol, its first idea), as they are published; and that all there is to be decided is met
 * in the meshes that laws are tried on.
 */
import * as fc from "fast-check"
import { test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import { coherentMesh } from "../../src/testing/arbitrary/CoherentMesh.ts"
import { decideLaws } from "../../src/testing/laws/DecideLaws.ts"
import { check, Met, testLaws } from "./Law.ts"

testLaws(decideLaws)

test("every reason, and every state of an ask and of a plan, is met in coherent meshes (§5 to §7)", () => {
  const met = new Met()
  const candidateReasons = ["seat", "pin", "contract", "field", "draining"]
  check(
    fc.property(coherentMesh, (snapshot) => {
      const { asks, plans, provisions } = decide(snapshot)
      for (const { candidates = [], reason } of provisions.values()) {
        met.count(reason)
        candidates.forEach((candidate) => met.count(`candidate: ${candidate.reason}`))
      }
      for (const { state } of [...asks.values(), ...plans.values()]) {
        met.count(state)
      }
    }),
    700
  )
  const reasons = [
    "shape",
    "unassigned",
    "no-domain",
    "conflict",
    "entry",
    "default",
    "no-entry",
    "collection",
    "placed",
    "not-placed",
    "no-holder",
    "two-holders",
    "bound-shape",
    "holder-gone",
    "own",
    "nobody",
    "no-candidate",
    "unmet",
    "not-bound",
    "bound-elsewhere",
    "earlier-instance",
    "provider-failed",
    "making",
    "secret-in-bucket",
    "field-missing",
    "credential",
    "credential-failed",
    "provided",
    "lost",
    "no-have",
    "other-build",
    "unhealthy",
    "healthy"
  ]
  const states = ["wanted", "held", "unneeded", "kept", "retire", "ready", "waiting", "failed", "refused", "degraded"]
  met.atLeast(Object.fromEntries([
    ...[...reasons, ...states].map((what) => [what, 4] as const),
    ...candidateReasons.map((what) => [`candidate: ${what}`, 4] as const)
  ]))
})
