/**
 * The laws of plans (protocol §7), as they are published.
 */
import { planLaws } from "../../src/testing/laws/PlanLaws.ts"
import { testLaws } from "./Law.ts"

testLaws(planLaws)
