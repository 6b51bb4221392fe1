/**
 * What the contract of the bus needs beside the port: whoever runs the bus makes and deletes buckets, connects as any
 * account, and plants what strangers write. And the small helpers that its laws share.
 */
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import assert from "node:assert/strict"
import type { Account } from "../../ports/Account.ts"
import type { BucketEvent, Bus, Put, Revision } from "../../ports/Bus.ts"
import type { BusError, BusErrorReason } from "../../ports/BusError.ts"

/**
 * The door that a bus opens to its tests. The buckets that protocol §3 to §7 name are there from the start.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Base64 } from "effect/encoding"
 * import { MemoryBus } from "mesh-provisioner/adapters/memory"
 * import { BusDoor } from "mesh-provisioner/testing"
 *
 * const door = Effect.gen(function*() {
 *   const { as, deleteBucket, load, makeBucket } = yield* MemoryBus.make()
 *   return BusDoor.of({
 *     connect: (account) => Effect.succeed(as(account)),
 *     makeBucket,
 *     deleteBucket,
 *     plant: (bucket, values) => {
 *       const raw = Object.fromEntries(Array.from(values, ([key, value]) => [key, Base64.encode(value)]))
 *       return Effect.orDie(load({ buckets: {}, raw: { [bucket]: raw } }))
 *     }
 *   })
 * })
 * ```
 */
export class BusDoor extends Context.Service<BusDoor, {
  /** The bus as an account has it, until the scope closes. */
  readonly connect: (account: Account) => Effect.Effect<Bus["Service"], never, Scope.Scope>
  /** Makes a bucket; nothing where it is there. */
  readonly makeBucket: (bucket: string) => Effect.Effect<void>
  /** Deletes a bucket under whoever reads it. */
  readonly deleteBucket: (bucket: string) => Effect.Effect<void>
  /** Writes as a stranger could: past the port, with keys that the port would refuse. */
  readonly plant: (bucket: string, values: Iterable<readonly [key: string, value: Uint8Array]>) => Effect.Effect<void>
}>()("mesh-provisioner/testing/conformance/BusDoor") {}

/**
 * One law of the bus: a sentence, and an effect that tries it. Where the law is broken the effect dies of an assertion
 * that says by what, or fails with what the bus failed with.
 */
export interface BusLaw {
  readonly name: string
  readonly run: Effect.Effect<void, unknown, BusDoor>
}

/** A law that is tried in a scope of its own. */
export const law = (
  name: string,
  body: () => Generator<Effect.Effect<unknown, unknown, BusDoor | Scope.Scope>, void, never>
): BusLaw => ({ name, run: Effect.scoped(Effect.gen(body)) })

let made = 0

/** A bucket of its own for a test, and the bus as one who may do everything there. */
export const freshBucket = Effect.gen(function*() {
  const door = yield* BusDoor
  made += 1
  const bucket = `contract${made}_values`
  yield* door.makeBucket(bucket)
  return { bucket, bus: yield* door.connect({ role: "admin" }), door }
})

/** A text as bytes. */
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Bytes as text. */
export const textOf = (value: Uint8Array): string => new TextDecoder().decode(value)

/** What a change says, without when. */
export const told = (event: BucketEvent): ReadonlyArray<string | number> => {
  switch (event._tag) {
    case "Put":
      return ["put", event.key, textOf(event.value), event.revision]
    case "Delete":
      return ["delete", event.key, event.revision]
    case "End":
      return ["end"]
  }
}

/** Takes events until enough were taken; fails where they do not come. */
export const takeUntil = <Event, E>(
  queue: Queue.Dequeue<Event, E>,
  enough: (events: ReadonlyArray<Event>) => boolean
): Effect.Effect<Array<Event>, E | Cause.TimeoutError> =>
  Effect.gen(function*() {
    const events: Array<Event> = []
    while (!enough(events)) {
      events.push(...(yield* Queue.takeAll(queue)))
    }
    return events
  }).pipe(Effect.timeout("20 seconds"))

/** Takes a bucket's start, to its end. */
export const takeStart = <Event extends { readonly _tag: string }, E>(queue: Queue.Dequeue<Event, E>) =>
  takeUntil(queue, (events) => events.some((event) => event._tag === "End"))

/** Takes so many events. */
export const takeCount = <Event, E>(queue: Queue.Dequeue<Event, E>, count: number) =>
  takeUntil(queue, (events) => events.length >= count)

/** Takes what is still said, and the error that the queue then fails with. */
export const takeToError = <Event>(queue: Queue.Dequeue<Event, BusError>) =>
  takeUntil(queue, () => false).pipe(Effect.flip, Effect.flatMap(expectBusError))

/** The reason that an effect fails with at the bus. */
export const reasonOf = <A, R>(effect: Effect.Effect<A, BusError, R>): Effect.Effect<BusErrorReason, A, R> =>
  Effect.map(Effect.flip(effect), (error) => error.reason)

const expectBusError = (error: BusError | Cause.TimeoutError): Effect.Effect<BusError, Error> =>
  error._tag === "BusError" ? Effect.succeed(error) : Effect.fail(new Error("the queue did not fail in time"))

/** What a key holds, as text; none where it is absent. */
export const holds = (bus: Bus["Service"], bucket: string, key: string) =>
  Effect.map(bus.get(bucket, key), (found) => found._tag === "Some" ? textOf(found.value.value) : undefined)

/** The keys and values that changes leave. */
export const endState = (events: Iterable<BucketEvent>): ReadonlyMap<string, Put> => {
  const state = new Map<string, Put>()
  for (const event of events) {
    if (event._tag === "Put") {
      state.set(event.key, event)
    } else if (event._tag === "Delete") {
      state.delete(event.key)
    }
  }
  return state
}

/** That revisions only ever grow. */
export const assertGrowing = (changes: ReadonlyArray<Revision>): void => {
  for (const [index, change] of changes.entries()) {
    const before = changes[index - 1]
    assert.ok(before === undefined || before.revision < change.revision, `change ${index} of ${changes.length}`)
  }
}

/** That an effect fails, and its whole exit, whose rendering holds everything that a log could show. */
export const failedExit = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    assert.ok(Exit.isFailure(exit))
    return exit
  })
