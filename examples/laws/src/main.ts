/**
 * Holds the hasty rule against all laws of the protocol, on twenty-five cases each, and tells the first that it breaks.
 */
import { laws } from "mesh-provisioner/testing"
import { hasty } from "./hasty.ts"

for (const { check } of laws(hasty)) {
  try {
    check({ runs: 25 })
  } catch (broken) {
    console.log(broken instanceof Error ? broken.message : broken)
    break
  }
}
