/**
 * The rule, held against all laws of the protocol: it undoes less than the mesh does, and breaks none of them.
 */
import { laws } from "mesh-provisioner/testing"
import { describe, test } from "vitest"
import { careful } from "../src/careful.ts"

describe("the careful rule", () => {
  for (const { check, paragraph, sentence } of laws(careful(new Set(["home"])))) {
    test(`${sentence} (${paragraph})`, { timeout: 60_000 }, () => {
      check({ runs: 40 })
    })
  }
})
