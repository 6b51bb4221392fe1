/**
 * The laws of provisions (protocol §5), as they are published.
 */
import { findLaws } from "../../src/testing/laws/FindLaws.ts"
import { provisionLaws } from "../../src/testing/laws/ProvisionLaws.ts"
import { testLaws } from "./Law.ts"

testLaws(provisionLaws)
testLaws(findLaws)
