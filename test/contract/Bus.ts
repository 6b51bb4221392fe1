/**
 * The contract of the port `Bus`: what every bus must do, whatever it is made of. Each adapter runs this one suite, in
 * a file of five lines; each test is one law of `src/ports/Bus.ts`.
 */
import { describe, layer } from "@effect/vitest"
import type { Layer } from "effect"
import type { BusDoor, ContractIt } from "./BusDoor.ts"
import { keysAndValues } from "./BusKeys.ts"
import { permissions } from "./BusPermissions.ts"
import { bucketsComeAndGo, followLive, followStart } from "./BusReading.ts"
import { compareAndSet, errors, histories } from "./BusWriting.ts"

const parts: ReadonlyArray<readonly [name: string, register: (it: ContractIt) => void]> = [
  ["the start of a bucket", followStart],
  ["what follows the start", followLive],
  ["buckets come and go", bucketsComeAndGo],
  ["compare-and-set", compareAndSet],
  ["history", histories],
  ["keys and values", keysAndValues],
  ["errors", errors],
  ["permissions (§3, §9)", permissions]
]

/** Registers the contract for a bus. The clock is the real one: a server has no other. */
export const suite = <E>(name: string, bus: Layer.Layer<BusDoor, E>): void =>
  layer(bus, { excludeTestServices: true })(`the contract of the bus: ${name}`, (it) => {
    for (const [part, register] of parts) {
      describe(part, () => register(it))
    }
  })
