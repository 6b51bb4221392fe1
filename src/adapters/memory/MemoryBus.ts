/**
 * The bus in memory: the reference that every other bus is held to (`ports/Bus`), and a product: the provisioner runs
 * on it with no server, and services that embed the core are tested on it.
 *
 * All that it does it does in one step of JavaScript, so a change, its revision and what its followers are told are
 * never apart.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { bucketName } from "../../core/BucketName.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import type { Account } from "../../ports/Account.ts"
import { Bus } from "../../ports/Bus.ts"
import type { BusError } from "../../ports/BusError.ts"
import { connect } from "./Connection.ts"
import { type Faults, makeFaults } from "./Faults.ts"
import { edit, readSnapshot } from "./Loading.ts"
import { State } from "./State.ts"

/** How a memory bus is made. */
export interface MemoryBusOptions {
  /** The buckets that are there from the start. Default: all that protocol §3 to §7 name, but no provider's. */
  readonly buckets?: Iterable<string>
  /** The most bytes of a value. Default: 1 MiB, as NATS has it. */
  readonly valueBytesMax?: number
  /** The most bytes of a key. Default: 3,072, which is about what a message of NATS bears beside its own. */
  readonly keyBytesMax?: number
}

/**
 * The memory bus, as whoever runs it sees it. Services see the port {@link Bus}, by an account each.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { MemoryBus } from "mesh-provisioner/adapters/memory"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* MemoryBus
 *   yield* memory.load({ buckets: { "mesh-controller_assignments": { "n1.shop": { build: "s1" } } } })
 *   const client = memory.as({ role: "client", node: "n1" })
 *   yield* client.create("mesh-provisioner_needs", "n1.shop.port.http", new TextEncoder().encode("{}"))
 *   return yield* memory.snapshot
 * }).pipe(Effect.provide(MemoryBus.layer()))
 *
 * const { buckets } = await Effect.runPromise(program)
 * buckets["mesh-provisioner_needs"] // { "n1.shop.port.http": {} }
 * ```
 */
export class MemoryBus extends Context.Service<MemoryBus, {
  /** The bus as an account sees it: everybody reads everything, and writes what {@link mayWrite} allows. */
  readonly as: (account: Account) => Bus["Service"]

  /** Makes a bucket; nothing where it is there. */
  readonly makeBucket: (bucket: string) => Effect.Effect<void>

  /** Deletes a bucket with all that is in it; nothing where it is not there. Its followers fail with `Lost`. */
  readonly deleteBucket: (bucket: string) => Effect.Effect<void>

  /**
   * Puts what a snapshot holds, whatever was there, and makes the buckets that are missing. It leaves alone what the
   * snapshot does not name.
   *
   * Keys need not be in shape: a snapshot may hold what strangers wrote. Fails with `TooLarge`, and has then loaded
   * nothing.
   */
  readonly load: (snapshot: Snapshot) => Effect.Effect<void, BusError>

  /**
   * Makes what lies between two snapshots, and nothing else: puts and deletes of the keys that differ, and buckets that
   * appear or vanish. A bucket that was there from the start does not vanish: a snapshot that leaves it out means an
   * empty one.
   *
   * Fails with `TooLarge`, and has then changed nothing.
   */
  readonly edit: (before: Snapshot, after: Snapshot) => Effect.Effect<void, BusError>

  /** What the bus holds now: a value that is no JSON by protocol §3 goes to `raw`. Loaded anew, it gives the same. */
  readonly snapshot: Effect.Effect<Snapshot>

  /** What goes wrong on a real bus, on purpose. */
  readonly faults: Faults
}>()("mesh-provisioner/adapters/memory/MemoryBus") {
  /** A memory bus of its own. */
  static readonly make = (options: MemoryBusOptions = {}): Effect.Effect<MemoryBus["Service"]> =>
    Effect.sync(() => {
      const state = new State({
        buckets: options.buckets ?? Object.values(bucketName),
        limits: {
          valueBytesMax: options.valueBytesMax ?? 1_048_576,
          keyBytesMax: options.keyBytesMax ?? 3_072
        }
      })
      const editNow = (before: Snapshot, after: Snapshot) =>
        Clock.clockWith((clock) => Effect.fromResult(edit(state, before, after, clock.currentTimeMillisUnsafe())))
      return MemoryBus.of({
        as: (account) => connect(state, account),
        makeBucket: (bucket) => Effect.sync(() => state.makeBucket(bucket)),
        deleteBucket: (bucket) => Effect.sync(() => state.deleteBucket(bucket)),
        load: (snapshot) => editNow({ buckets: {} }, snapshot),
        edit: editNow,
        snapshot: Effect.sync(() => readSnapshot(state)),
        faults: makeFaults(state)
      })
    })

  /** A memory bus of its own, for {@link MemoryBus.layerAs} to stand on. */
  static readonly layer = (options?: MemoryBusOptions): Layer.Layer<MemoryBus> =>
    Layer.effect(MemoryBus, MemoryBus.make(options))

  /** The port {@link Bus}, as an account of a memory bus. */
  static readonly layerAs = (account: Account): Layer.Layer<Bus, never, MemoryBus> =>
    Layer.effect(Bus, Effect.map(MemoryBus, (memory) => memory.as(account)))
}
