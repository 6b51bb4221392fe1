/**
 * `decide` against its naive twin, which was written from the protocol's text alone (protocol §2 to §7).
 */
import { twinLaw } from "../../src/testing/laws/TwinLaw.ts"
import { testLaws } from "./Law.ts"

testLaws([twinLaw])
