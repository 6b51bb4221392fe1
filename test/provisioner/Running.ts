/**
 * What the tests of the provisioner share: a mesh to run it on, time to pass, what it logs, and a bus that counts, loses and
 * delays.
 */
import { assert } from "@effect/vitest"
import { Effect, Exit, Logger, PubSub, References, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Bus, BusError, MemoryBus } from "../../src/adapters/memory/index.ts"
import { decide, diff, type Json, type Snapshot, storedIn } from "../../src/core/index.ts"
import { Provisioner } from "../../src/provisioner/Provisioner.ts"
import type { ProvisionerOptions } from "../../src/provisioner/Settings.ts"
import type { Turn } from "../../src/provisioner/Turn.ts"

export type Buckets = Snapshot["buckets"]

/** A shop on n1 that needs a database, which postgres on n2 has made for it. */
export const facts: Buckets = {
  "mesh-controller_modules": {
    shop: {},
    postgres: {
      provides: { database: { credential: "consumer", contract: { version: "14.0.0", fields: { host: "string" } } } }
    }
  },
  "mesh-controller_assignments": { "n1.shop": { build: "s1" }, "n2.postgres": { build: "p1" } },
  "mesh-host_haves": { "n2.postgres": { build: "p1", health: "healthy" } },
  "mesh-provisioner_needs": { "n1.shop.bound.database": {}, "n1.shop.port.http": {} },
  postgres_bound: { "n1.shop.database": { state: "provided", by: "n2", values: { host: "db" } } }
}

/** A shop that is to have so many needs of its own. */
export const needs = (count: number): Buckets => ({
  "mesh-provisioner_needs": Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`n1.shop.port.p${index}`, {}])
  )
})

export const databaseKey = "n1.shop.bound.database"
export const provisions = "mesh-provisioner_provisions"
export const plans = "mesh-provisioner_plans"

/** The claim's key in `postgres_bound`, and what postgres says there once it has made the database. */
export const bound = "n1.shop.database"
export const provided = { state: "provided", by: "n2", values: { host: "db" } }

// --- a bus that is looked at ---------------------------------------------------------------------------------------

/** One write that was asked of the bus, and what became of it. */
export interface Asked {
  readonly op: "create" | "update" | "delete"
  readonly bucket: string
  readonly key: string
  readonly ok: boolean
}

/** What a watched bus does before it does what is asked; it may fail, wait, or do something else first. */
export interface Interference {
  readonly beforeWrite?: (write: Omit<Asked, "ok"> & { readonly value?: Uint8Array }) => Effect.Effect<void, BusError>
  readonly beforeGet?: (bucket: string, key: string) => Effect.Effect<void, BusError>
  readonly follow?: (
    bucket: string,
    follow: ReturnType<Bus["Service"]["follow"]>
  ) => ReturnType<Bus["Service"]["follow"]>
  readonly followBuckets?: (follow: Bus["Service"]["followBuckets"]) => Bus["Service"]["followBuckets"]
}

/** The bus, watched: every write is kept in `asked`. */
const watched = (bus: Bus["Service"], asked: Array<Asked>, interference: Interference = {}): Bus["Service"] => {
  const watch = (
    op: Asked["op"],
    bucket: string,
    key: string,
    write: Effect.Effect<number, BusError>,
    value?: Uint8Array
  ) =>
    (interference.beforeWrite?.({ op, bucket, key, ...(value === undefined ? {} : { value }) }) ?? Effect.void).pipe(
      Effect.andThen(write),
      Effect.onExit((exit) => Effect.sync(() => asked.push({ op, bucket, key, ok: Exit.isSuccess(exit) })))
    )
  return Bus.of({
    ...bus,
    follow: (bucket) => Effect.suspend(() => interference.follow?.(bucket, bus.follow(bucket)) ?? bus.follow(bucket)),
    followBuckets: interference.followBuckets?.(bus.followBuckets) ?? bus.followBuckets,
    get: (bucket, key) => Effect.andThen(interference.beforeGet?.(bucket, key) ?? Effect.void, bus.get(bucket, key)),
    create: (bucket, key, value) => watch("create", bucket, key, bus.create(bucket, key, value), value),
    update: (bucket, key, value, revision) =>
      watch("update", bucket, key, bus.update(bucket, key, value, revision), value),
    delete: (bucket, key, revision) => watch("delete", bucket, key, bus.delete(bucket, key, revision))
  })
}

// --- a provisioner that runs ---------------------------------------------------------------------------------------

/** One line of the log. */
export interface Line {
  readonly level: string
  readonly message: string
  readonly notes: Readonly<Record<string, unknown>>
}

/** A running provisioner, and all that was seen of it. */
export interface Running {
  readonly provisioner: Provisioner["Service"]
  readonly asked: Array<Asked>
  readonly lines: Array<Line>
  readonly turns: Array<Turn>
  /** How often it decided. */
  readonly decided: () => number
  /** Has an effect log to `lines` too. */
  readonly logged: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Ends it, as a clean stop does. */
  readonly stop: Effect.Effect<void>
}

/** How a provisioner is run in a test. */
export interface RunOptions extends ProvisionerOptions {
  readonly interference?: Interference
  /** It is meant to die: a loop that dies else fails its test. */
  readonly dies?: true
}

/** Starts a provisioner on the memory bus, in a scope of its own that the test's scope closes. */
export const start = Effect.fnUntraced(function*({ dies, interference, ...options }: RunOptions = {}) {
  const memory = yield* MemoryBus
  const asked: Array<Asked> = []
  const lines: Array<Line> = []
  const turns: Array<Turn> = []
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, Logger.CurrentLoggers, new Set([keeping(lines)]))
  const provisioner = yield* Provisioner.make(options).pipe(
    Effect.provideService(Bus, watched(memory.as({ role: "provisioner" }), asked, interference)),
    logged,
    Scope.provide(scope)
  )
  const ended = yield* Effect.forkIn(provisioner.ended, scope)
  if (dies !== true) {
    yield* Scope.addFinalizer(scope, Effect.suspend(() => ended.pollUnsafe() ?? Effect.void))
  }
  const subscription = yield* Scope.provide(provisioner.turns, scope)
  yield* PubSub.take(subscription).pipe(
    Effect.tap((turn) => Effect.sync(() => turns.push(turn))),
    Effect.forever,
    Effect.forkIn(scope)
  )
  const running: Running = {
    provisioner,
    asked,
    lines,
    turns,
    decided: () => turns.filter(({ before, changes }) => before === undefined || changes > 0).length,
    logged,
    stop: Scope.close(scope, Exit.void)
  }
  return running
})

/** A provisioner that is live on the mesh, with nothing asked of the bus yet. */
export const live = Effect.gen(function*() {
  yield* put(facts)
  const running = yield* start()
  yield* pass()
  running.asked.length = 0
  return running
})

/** A mesh that is decided and stored, and nothing runs. */
export const settled = Effect.gen(function*() {
  yield* (yield* live).stop
})

/** How a provisioner stands. */
export const healthOf = ({ provisioner }: Running) => provisioner.health

/** A bus that does not answer a question. */
export const unreachable = (bucket: string) =>
  new BusError({ operation: "get", bucket, reason: { _tag: "Unreachable" } })

const keeping = (lines: Array<Line>) =>
  Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
    lines.push({
      level: logLevel,
      message: Array.isArray(message) ? message.join(" ") : String(message),
      notes: fiber.getRef(References.CurrentLogAnnotations)
    })
  })

/** Lets so much time pass, a millisecond at a time, so that what one fiber tells another is heard in between. */
export const pass = (millis = 30): Effect.Effect<void> =>
  Effect.forEach(Array.from({ length: millis }), () => TestClock.adjust(1), { discard: true })

/** Lets a long time pass, and then what follows from it settle. */
export const passLong = (duration: Parameters<typeof TestClock.adjust>[0]): Effect.Effect<void> =>
  Effect.andThen(TestClock.adjust(duration), pass())

/** Puts facts, and lets them settle. */
export const put = (buckets: Buckets) =>
  Effect.andThen(Effect.flatMap(MemoryBus, (memory) => Effect.orDie(memory.load({ buckets }))), pass())

/** Writes a key, whoever may write it: a value as JSON, or its bytes as they are. */
export const write = Effect.fnUntraced(function*(bucket: string, key: string, value: Json | Uint8Array) {
  const bus = (yield* MemoryBus).as({ role: "admin" })
  const bytes = value instanceof Uint8Array ? value : new TextEncoder().encode(JSON.stringify(value))
  const found = yield* bus.get(bucket, key)
  yield* found._tag === "Some" ? bus.update(bucket, key, bytes, found.value.revision) : bus.create(bucket, key, bytes)
})

/** Deletes a key, whoever may write it. */
export const remove = Effect.fnUntraced(function*(bucket: string, key: string) {
  const bus = (yield* MemoryBus).as({ role: "admin" })
  const found = yield* bus.get(bucket, key)
  if (found._tag === "Some") {
    yield* bus.delete(bucket, key, found.value.revision)
  }
})

// --- what must hold ------------------------------------------------------------------------------------------------

/** That what is stored is exactly what is to be decided from the facts that the bus holds. */
export const assertSettled = Effect.gen(function*() {
  const snapshot = yield* (yield* MemoryBus).snapshot
  const wanted = decide(snapshot)
  assert.deepStrictEqual(diff(storedIn(snapshot), wanted), [])
  assert.isTrue(wanted.registry.size > 0)
})

/** What a bucket holds at a key now. */
export const stored = (bucket: string, key: string) =>
  Effect.map(Effect.flatMap(MemoryBus, (memory) => memory.snapshot), ({ buckets }) => buckets[bucket]?.[key])

/** The lines of a level. */
export const linesOf = ({ lines }: Running, level: string): ReadonlyArray<string> =>
  lines.filter((line) => line.level === level).map(({ message }) => message)
