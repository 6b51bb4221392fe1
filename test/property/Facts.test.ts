/**
 * The laws of facts and how they arrive (protocol §9), as they are published.
 */
import { factsLaws } from "../../src/testing/laws/FactsLaws.ts"
import { testLaws } from "./Law.ts"

testLaws(factsLaws)
