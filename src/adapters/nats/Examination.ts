/**
 * Looks at a server as one of its users: who that is there, what comes through of what should and should not, and how the
 * buckets stand that it may look at. It changes nothing (`Probes.ts` says why).
 */
import { headers as makeHeaders } from "@nats-io/transport-node"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type Parties, type Party, userName } from "../../ports/Grants.ts"
import { type BucketPlan, planBucket } from "./BucketPlan.ts"
import { connect, type Connection } from "./Connection.ts"
import { JetStream } from "./JetStream.ts"
import type { NatsConnectError } from "./NatsConnectError.ts"
import { apiCode, type Trouble } from "./NatsErrors.ts"
import { importedApiPrefix, inboxPrefixOf, ownApiPrefix } from "./Permissions.ts"
import { noStream, type Probe, probesOf } from "./Probes.ts"
import { Requests } from "./Requests.ts"
import { seatBucket, seatKey } from "./SeatBucket.ts"
import { type NatsSettings, settingsOf } from "./Settings.ts"
import { askWho, parsed } from "./Who.ts"

/**
 * What came of a try: it came `through`; the server `denied` it; `nobody` heard it (of another account's: it is not
 * imported, or there is no such bucket); there was `silence`; or the bucket is `missing`.
 */
export type Outcome = "through" | "denied" | "nobody" | "silence" | "missing"

/** What was found of a server, as one of its users. */
export interface Examination {
  readonly server: {
    readonly version: string
    readonly where: string
    readonly isJetStreamOn: boolean
    readonly roundTripMillis: number
    /** By how much its clock is ahead of this machine's, where it says what it has. */
    readonly clockAheadMillis?: number
  }
  readonly party: Party
  /** The user's account, where the server says it. */
  readonly account?: string
  readonly inboxPrefix: string
  /** Whether answers come to the inboxes that were set; if not, it was gone on with those that are the user's own. */
  readonly isInboxHeard: boolean
  readonly apiPrefix: string
  readonly results: ReadonlyArray<{ readonly probe: Probe; readonly outcome: Outcome }>
  /** The buckets that it may look at, and what of them is not as it should be. */
  readonly plans: ReadonlyArray<BucketPlan>
  /** Who holds the seat, where it may be looked at; nobody holds it where it is `null`. */
  readonly seat?: { readonly holder: string; readonly heardMillisAgo: number } | null
}

/**
 * Nobody can tell as whom to look: the server does not say it, and nothing else does; or the user is not the one that it is
 * said to be, and the server may know which it `is`.
 */
export class WhoIsIt extends Schema.TaggedError<WhoIsIt>("mesh-provisioner/adapters/nats/WhoIsIt")("WhoIsIt", {
  said: Schema.optionalKey(Schema.String),
  is: Schema.optionalKey(Schema.String)
}) {}

/** Looks, as a party of a mesh, or as the server says that this user is. */
export const examine = Effect.fnUntraced(function*(
  options: NatsSettings,
  mesh: Parties,
  as: Party | undefined
): Effect.fn.Return<Examination, NatsConnectError | WhoIsIt, Scope.Scope> {
  const first = yield* groundOn(options)
  const said = yield* askWho(first.requests)
  const party = as ?? said.party
  if (party === undefined) {
    return yield* new WhoIsIt()
  }
  const ownInbox = inboxPrefixOf(userName(party))
  const ground = said.isInboxHeard ? first : yield* groundOn({ ...options, inboxPrefix: ownInbox })
  const who = said.isInboxHeard ? said : yield* askWho(ground.requests)
  if (!who.isInboxHeard || (who.party !== undefined && userName(who.party) !== userName(party))) {
    return yield* new WhoIsIt({
      said: userName(party),
      ...(who.party === undefined ? {} : { is: userName(who.party) })
    })
  }
  const apiPrefix = options.apiPrefix ?? (yield* findApiPrefix(ground, party, mesh))
  const results = yield* tryAll(ground, probesOf(party, mesh, apiPrefix))
  const jetStream = new JetStream(ground.requests, { ...settingsOf(options), apiPrefix })
  const seat = yield* seatOf(jetStream, party)
  return {
    server: { ...serverOf(ground.connection), ...who.clock, roundTripMillis: yield* roundTrip(ground.connection) },
    party,
    ...(who.account === undefined ? {} : { account: who.account }),
    inboxPrefix: said.isInboxHeard ? options.inboxPrefix ?? "_INBOX" : ownInbox,
    isInboxHeard: said.isInboxHeard,
    apiPrefix,
    results,
    plans: yield* plansOf(jetStream, results),
    ...(seat === undefined ? {} : { seat })
  }
})

interface Ground {
  readonly connection: Connection
  readonly requests: Requests
}

const groundOn = (options: NatsSettings): Effect.Effect<Ground, NatsConnectError, Scope.Scope> =>
  Effect.gen(function*() {
    const connection = yield* connect(options)
    return { connection, requests: yield* Requests.make(connection, settingsOf(options)) }
  })

const serverOf = ({ client }: Connection) => ({
  version: client.info?.version ?? "unknown",
  where: client.getServer(),
  isJetStreamOn: client.info?.jetstream === true
})

const roundTrip = ({ client }: Connection): Effect.Effect<number> =>
  Effect.orElseSucceed(Effect.tryPromise(() => client.rtt()), () => Number.NaN)

// --- what comes through --------------------------------------------------------------------------------------------

/**
 * Across accounts JetStream is asked at another prefix: that by which some read comes through that should; where none does,
 * as there is no bucket yet, that which the server does not deny.
 */
const findApiPrefix = Effect.fnUntraced(
  function*(ground: Ground, party: Party, mesh: Parties): Effect.fn.Return<string> {
    const tryBy = (apiPrefix: string): Effect.Effect<Outcome> => {
      const read = probesOf(party, mesh, apiPrefix).find(({ act, should }) => act === "read" && should)
      return read === undefined ? Effect.succeed("through") : tryRequest(ground, read)
    }
    const [own, imported] = yield* Effect.all([tryBy(ownApiPrefix), tryBy(importedApiPrefix)], { concurrency: 2 })
    return own === "through" || (imported !== "through" && own !== "denied") ? ownApiPrefix : importedApiPrefix
  }
)

const tryAll = (ground: Ground, probes: ReadonlyArray<Probe>) =>
  Effect.forEach(
    probes,
    (probe) =>
      Effect.map(
        probe.act === "hear" ? tryHearing(ground, probe) : tryRequest(ground, probe),
        (outcome) => ({ probe, outcome })
      ),
    { concurrency: 64 }
  )

const tryRequest = (
  { requests }: Ground,
  { act, expectsNoStream, payload, subject }: Probe
): Effect.Effect<Outcome> =>
  requests.ask(() => {
    const headers = makeHeaders()
    headers.set("Nats-Expected-Stream", noStream)
    return { subject, payload, ...(expectsNoStream ? { headers } : {}) }
  }).pipe(
    Effect.map((answer) => act === "read" || act === "ask" ? "through" : outcomeIn(parsed(answer.string()))),
    Effect.catch((trouble) => Effect.succeed(outcomeOf(trouble)))
  )

const Failed = Schema.Struct({ error: Schema.Struct({ err_code: Schema.Int }) })

const outcomeIn = (json: unknown): Outcome => {
  const code = Option.getOrUndefined(Schema.decodeUnknownOption(Failed)(json))?.error.err_code
  switch (code) {
    // The account has no buckets of its own, and this is not imported.
    case apiCode.noJetStreamForAccount:
      return "nobody"
    case apiCode.noStream:
      return "missing"
    default:
      return "through"
  }
}

const outcomeOf = ({ _tag }: Trouble): Outcome =>
  _tag === "Denied" ? "denied" : _tag === "Nobody" ? "nobody" : "silence"

/** Whether the server lets a subject be subscribed to: it says so where it does not, before it answers a ping. */
const tryHearing = ({ connection }: Ground, { subject }: Probe): Effect.Effect<Outcome> =>
  Effect.suspend(() => {
    let outcome: Outcome = "through"
    const stop = connection.listen((news) => news._tag === "Denied" && news.subject === subject)
    const listening = connection.client.subscribe(subject, {
      callback: (error) => {
        if (error !== null) {
          outcome = "denied"
        }
      }
    })
    return Effect.tryPromise(() => connection.client.flush()).pipe(
      Effect.andThen(Effect.sleep("20 millis")),
      Effect.map(() => outcome),
      Effect.orElseSucceed((): Outcome => "silence"),
      Effect.ensuring(Effect.sync(() => {
        listening.unsubscribe()
        stop()
      }))
    )
  })

// --- buckets and seat ----------------------------------------------------------------------------------------------

/** The buckets that came through to be looked at. Where they are kept, and how often, is the operator's to choose. */
const plansOf = (
  jetStream: JetStream,
  results: Examination["results"]
): Effect.Effect<ReadonlyArray<BucketPlan>> =>
  Effect.map(
    Effect.forEach(
      results.filter(({ outcome, probe }) => probe.act === "look" && (outcome === "through" || outcome === "missing")),
      ({ probe }) =>
        jetStream.info(probe.of).pipe(
          Effect.map(({ config }) => [planBucket(probe.of, config, storageOf(config["storage"]))]),
          Effect.catchIf(
            (trouble) => trouble._tag === "Api" && trouble.code === apiCode.noStream,
            () => Effect.succeed([planBucket(probe.of)])
          ),
          Effect.orElseSucceed((): ReadonlyArray<BucketPlan> => [])
        ),
      { concurrency: 8 }
    ),
    (plans) => plans.flat()
  )

const storageOf = (storage: unknown) => ({ storage: storage === "memory" ? "memory" : "file" }) as const

const Holder = Schema.fromJsonString(Schema.Struct({ name: Schema.String }))

const seatOf = (
  jetStream: JetStream,
  { role }: Party
): Effect.Effect<Examination["seat"] | undefined> =>
  role !== "provisioner" ? Effect.undefined : jetStream.message(seatBucket, {
    last_by_subj: `$KV.${seatBucket}.${seatKey}`
  }).pipe(
    Effect.map((message) => {
      const text = Buffer.from(message?.data ?? "", "base64").toString()
      const holder = Option.getOrUndefined(Schema.decodeUnknownOption(Holder)(text))
      return message === undefined || holder === undefined
        ? null
        : { holder: holder.name, heardMillisAgo: Date.now() - Date.parse(message.time) }
    }),
    Effect.orElseSucceed(() => undefined)
  )
