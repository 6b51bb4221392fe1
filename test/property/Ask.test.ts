/**
 * The laws of asks (protocol §6, §6.1), as they are published.
 */
import { askLaws } from "../../src/testing/laws/AskLaws.ts"
import { testLaws } from "./Law.ts"

testLaws(askLaws)
