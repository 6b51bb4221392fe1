/**
 * A daemon within the tests' own process: what it writes is recorded, and what it logs is kept.
 */
import { assert } from "@effect/vitest"
import { Effect, Logger, type PubSub, Result, type Scope } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { NatsBus, type NatsSettings } from "../../src/adapters/nats/index.ts"
import { isDecisionBucket } from "../../src/core/BucketName.ts"
import { parseSnapshot, type Snapshot } from "../../src/core/Snapshot.ts"
import { Bus } from "../../src/ports/Bus.ts"
import { Seat } from "../../src/ports/Seat.ts"
import { VerbServer } from "../../src/ports/VerbServer.ts"
import type { Write } from "../../src/ports/Write.ts"
import { Daemon } from "../../src/provisioner/Daemon.ts"
import type { Health } from "../../src/provisioner/Health.ts"
import type { Turn } from "../../src/provisioner/Turn.ts"
import type { NatsServer } from "../nats/Server.ts"

const example = Effect.runSync(Effect.fromResult(
  parseSnapshot(readFileSync(join(import.meta.dirname, "..", "..", "examples", "homelab.json"), "utf8"))
))

/** The facts of the example mesh. */
export const homelab: Snapshot = {
  buckets: Object.fromEntries(Object.entries(example.buckets).filter(([bucket]) => !isDecisionBucket(bucket)))
}

/** What the bus acknowledged: by bucket, key and revision, the text that was written. */
export type Acknowledged = Map<string, string>

/** A daemon within this process. */
export interface InProcess {
  readonly acknowledged: Acknowledged
  readonly lines: ReadonlyArray<string>
  /** How its provisioner stands; not there while it does not hold the seat. */
  readonly health: Effect.Effect<Health | undefined>
  /** The turns of the provisioner that there is now, from now on. */
  readonly turns: Effect.Effect<PubSub.Subscription<Turn>, never, Scope.Scope>
  /** Waits until its provisioner stands so. */
  readonly stands: (state: Health["state"]) => Effect.Effect<Health>
}

/** Runs a daemon until the scope closes. */
export const inProcess = Effect.fnUntraced(function*(
  { url }: Pick<NatsServer, "url">,
  settings: NatsSettings = {},
  name = "one"
): Effect.fn.Return<InProcess, never, Scope.Scope> {
  const acknowledged: Acknowledged = new Map()
  const lines: Array<string> = []
  const keeping = Logger.make<unknown, void>(({ message }) => {
    lines.push(Array.isArray(message) ? message.join(" ") : String(message))
  })
  const running = yield* Effect.gen(function*() {
    const nats = yield* Effect.orDie(NatsBus.make({ servers: [url], ...settings }))
    const seat = yield* nats.seat({ name })
    return yield* Daemon.make().pipe(
      Effect.provideService(Seat, {
        ...seat,
        take: Effect.map(seat.take, (term) => ({ ...term, bus: recorded(term.bus, acknowledged) }))
      }),
      Effect.provideService(VerbServer, nats.verbServer)
    )
  }).pipe(Effect.provideService(Logger.CurrentLoggers, new Set([keeping])))
  const health = Effect.flatMap(
    running.provisioner,
    (provisioner) => provisioner === undefined ? Effect.undefined : provisioner.health
  )
  const stands = (state: Health["state"]) =>
    Effect.gen(function*() {
      for (let looks = 0; looks < 3_000; looks++) {
        const now = yield* health
        if (now?.state === state) {
          return now
        }
        yield* Effect.sleep("5 millis")
      }
      return assert.fail(`it did not come to be ${state}: ${lines.at(-1)}`)
    })
  const turns = Effect.flatMap(
    running.provisioner,
    (provisioner) => provisioner?.turns ?? assert.fail("there is no provisioner now")
  )
  return { acknowledged, lines, turns, stands, health }
})

const recorded = (bus: Bus["Service"], acknowledged: Acknowledged): Bus["Service"] => {
  const keep = ({ bucket, key, value }: Write, revision: number) =>
    acknowledged.set(`${bucket} ${key} ${revision}`, value === undefined ? "" : new TextDecoder().decode(value))
  const { writeMany } = bus
  return Bus.of({
    ...bus,
    // The daemon writes by nothing else on a bus that does many at once.
    create: () => Effect.die(new Error("a write by itself")),
    update: () => Effect.die(new Error("a write by itself")),
    delete: () => Effect.die(new Error("a write by itself")),
    writeMany: (many) =>
      writeMany?.({
        ...many,
        settled: (toWrite, outcome) => {
          if (Result.isSuccess(outcome)) {
            keep(toWrite, outcome.success)
          }
          many.settled(toWrite, outcome)
        }
      }) ?? Effect.die(new Error("it does not many at once"))
  })
}
