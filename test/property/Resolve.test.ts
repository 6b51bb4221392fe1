/**
 * The laws of resolving a claim (protocol §5.2), as they are published.
 */
import { choiceLaws } from "../../src/testing/laws/ChoiceLaws.ts"
import { heldLaws } from "../../src/testing/laws/HeldLaws.ts"
import { testLaws } from "./Law.ts"

testLaws(heldLaws)
testLaws(choiceLaws)
