/**
 * `doctor`: whether a user can reach, read and write what it should, and nothing else; what is wrong, and what to do. What is
 * tried, and that it does no harm, is said in `adapters/nats/Probes.ts`.
 */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type { Examination, WhoIsIt } from "../adapters/nats/Examination.ts"
import type { Json } from "../core/Json.ts"
import { type Party, readParty, userName } from "../ports/Grants.ts"
import type { BusConfig } from "./command/BusFlags.ts"
import { settingsOf } from "./Connect.ts"
import { faultsOf, isThrough } from "./DoctorFaults.ts"
import { Failure, failure, usage } from "./Failure.ts"
import { type PartiesConfig, readParties } from "./Parties.ts"
import { type Line, printJson, printLines, styled } from "./Print.ts"
import { countText, headed, paragraphs } from "./Say.ts"

/** What `doctor` is asked. */
export interface DoctorConfig extends Pick<PartiesConfig, "providers" | "buckets"> {
  readonly as: string | undefined
  readonly json: boolean
  readonly connection: BusConfig
}

/** Runs `doctor`. */
export const run = Effect.fnUntraced(function*(config: DoctorConfig): Effect.fn.Return<void, Failure> {
  const as = yield* readAs(config.as)
  const flags = yield* readParties({ ...config, nodes: [], operators: [], readers: [] })
  const providers = as?.role === "provider" ? [as, ...flags.providers] : flags.providers
  const settings = yield* settingsOf(config.connection)
  const { examine } = yield* Effect.promise(() => import("../adapters/nats/Examination.ts"))
  const found = yield* examine(settings, { ...flags, providers }, as).pipe(
    Effect.scoped,
    // What is refused is what is asked here: it is said at the end, and not as it comes.
    Effect.provideService(Logger.CurrentLoggers, new Set()),
    Effect.mapError((error) => error._tag === "WhoIsIt" ? usage(whoIsIt(error)) : failure(error.message))
  )
  const faults = faultsOf(found)
  yield* config.json ? printJson(jsonOf(found, faults)) : printLines(linesOf(found, faults))
  if (faults.length > 0) {
    yield* new Failure({ exitCode: 1 })
  }
})

const whoIsIt = ({ is, said }: WhoIsIt): string =>
  said === undefined
    ? `The server does not say who this user is. Give --as, with the user's name as grants gives it: ${userNames}.`
    : is === undefined
    ? `This user is not ${said}: it may not hear that user's inboxes. Look at --as, and at the key.`
    : `This user is ${is}, and not ${said}. Look at --as, and at the key.`

const userNames =
  "provisioner, setup, controller, client:NODE, host:NODE, provider:MODULE@NODE, operator:NAME or reader:NAME"

const readAs = (text: string | undefined): Effect.Effect<Party | undefined, Failure> => {
  const party = text === undefined ? undefined : readParty(text)
  return text !== undefined && party === undefined
    ? Effect.fail(usage(
      `--as: ${text} is no user's name. One is ${userNames}, with names as tokens (protocol §2).`
    ))
    : Effect.succeed(party)
}

type Faults = ReturnType<typeof faultsOf>

/** How much was tried, and how much of it is as it should be. */
const countsOf = ({ results }: Examination) => {
  const allowed = results.filter(({ probe }) => probe.should)
  const refused = results.filter(({ probe }) => !probe.should)
  return {
    allowed: allowed.length,
    work: allowed.filter(({ outcome }) => outcome === "through").length,
    forbidden: refused.length,
    refused: refused.filter(({ outcome }) => !isThrough(outcome)).length
  }
}

const linesOf = (found: Examination, faults: Faults): Iterable<Line> => {
  const { allowed, forbidden, refused, work } = countsOf(found)
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["server", serverText(found)],
    ["user", userText(found)],
    ...(found.seat === undefined ? [] : [["seat", seatText(found.seat)] as const]),
    ["buckets", bucketsText(found)],
    ["allowed", `${work} of ${countText(allowed, "try", "tries")} came through`],
    ["forbidden", `${refused} of ${countText(forbidden, "try was", "tries were")} refused`]
  ]
  return paragraphs(
    rows.map(([name, text]): Line => [styled("bold", name.padEnd(11)), text]),
    headed("wrong", faultLines(faults)),
    faults.length === 0 ? [[styled("green", "All is as it should be.")]] : []
  )
}

/** Faults, and under those that are mended alike, how. */
const faultLines = (faults: Faults): ReadonlyArray<Line> =>
  faults.flatMap(({ todo, what }, index): ReadonlyArray<Line> => [
    [styled("red", what)],
    ...(faults[index + 1]?.todo === todo ? [] : [["  ", todo]])
  ])

const serverText = ({ server }: Examination): string => {
  const ahead = server.clockAheadMillis
  return `nats-server ${server.version} at ${server.where}, ${millis(server.roundTripMillis)} away${
    ahead === undefined ? "" : `, its clock ${millis(Math.abs(ahead))} ${ahead < 0 ? "behind" : "ahead"}`
  }`
}

const millis = (count: number): string => count < 1 ? "under 1 ms" : `${Math.round(count)} ms`

const userText = ({ account, apiPrefix, inboxPrefix, party }: Examination): string =>
  `${userName(party)}${
    account === undefined ? "" : ` in account ${account}`
  }; inboxes at ${inboxPrefix}, JetStream at ${apiPrefix}`

const seatText = (seat: NonNullable<Examination["seat"]> | null): string =>
  seat === null ? "nobody holds it" : `held by ${seat.holder}, heard of ${millis(Math.max(0, seat.heardMillisAgo))} ago`

const bucketsText = ({ plans }: Examination): string => {
  const right = plans.filter(({ action }) => action === "none").length
  return plans.length === 0
    ? "none may be looked at by this user"
    : `${right} of the ${plans.length} that this user may look at are as they should be`
}

const jsonOf = (found: Examination, faults: Faults): Json => ({
  server: { ...found.server },
  as: userName(found.party),
  ...(found.account === undefined ? {} : { account: found.account }),
  inboxPrefix: found.inboxPrefix,
  apiPrefix: found.apiPrefix,
  ...(found.seat === undefined ? {} : { seat: found.seat === null ? null : { ...found.seat } }),
  tries: found.results.map(({ outcome, probe: { act, key, of, should } }) => ({
    act,
    of,
    ...(key === undefined ? {} : { key }),
    should,
    outcome
  })),
  wrong: faults.map(({ todo, what }) => ({ what, todo }))
})
