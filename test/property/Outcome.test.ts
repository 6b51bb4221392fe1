/**
 * The laws of what providers say (protocol §5, §5.3), as they are published.
 */
import { outcomeLaws } from "../../src/testing/laws/OutcomeLaws.ts"
import { testLaws } from "./Law.ts"

testLaws(outcomeLaws)
