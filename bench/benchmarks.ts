/**
 * All benchmarks, in the order in which they are taken.
 */
import { commandLine } from "./commandLine.ts"
import { coreBuild } from "./coreBuild.ts"
import { coreChange } from "./coreChange.ts"
import { bus } from "./nats/bus.ts"
import type { Benchmark } from "./Row.ts"
import { verbs } from "./verbs.ts"

/** All benchmarks there are. */
export const benchmarks: ReadonlyArray<Benchmark> = [coreChange, coreBuild, verbs, bus, commandLine]
