/**
 * All benchmarks, in the order in which they are taken.
 */
import { commandLine } from "./commandLine.ts"
import type { Benchmark } from "./Row.ts"

/** All benchmarks there are. */
export const benchmarks: ReadonlyArray<Benchmark> = [commandLine]
