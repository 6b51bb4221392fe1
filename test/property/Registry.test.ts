/**
 * The laws of the registry (protocol §4), as they are published.
 */
import { registryLaws } from "../../src/testing/laws/RegistryLaws.ts"
import { testLaws } from "./Law.ts"

testLaws(registryLaws)
