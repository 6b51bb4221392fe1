/**
 * `show`: what a file holds, or what is decided from it, as a table.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { decide } from "../core/Decide.ts"
import { Facts } from "../core/Facts.ts"
import { isJsonObject, type Json, member } from "../core/Json.ts"
import { query, type QueryEntry, type QueryReply } from "../core/Query.ts"
import type { QueryWhat } from "../core/QueryWhat.ts"
import type { VerbSource } from "../core/Verb.ts"
import { cut } from "../core/Words.ts"
import type { BusConfig } from "./command/BusFlags.ts"
import type { Failure } from "./Failure.ts"
import { type Line, printJson, printJsonLine, printLines } from "./Print.ts"
import { conflictLines, headed, outOfShapeLines, paragraphs, stateWord } from "./Say.ts"
import { openSource, refused, type Source } from "./Source.ts"
import { untilStopped } from "./Stopped.ts"
import { type Cell, table } from "./Table.ts"
import { watchOn } from "./Watch.ts"

/** What `show` is asked. */
export interface ShowConfig {
  readonly what: QueryWhat
  readonly from: string | undefined
  readonly connection: BusConfig
  readonly narrowed: { readonly [filter: string]: string }
  readonly history: boolean
  readonly watch: boolean
  readonly json: boolean
}

/** Runs `show`. */
export const run = (config: ShowConfig): Effect.Effect<void, Failure> =>
  Effect.scoped(config.watch ? Effect.raceFirst(showAndWatch(config), untilStopped) : showOnce(config))

const showOnce = Effect.fnUntraced(function*(config: ShowConfig): Effect.fn.Return<void, Failure, Scope.Scope> {
  const { history, narrowed, what } = config
  const source = yield* openFor(config)
  yield* print(config, yield* source.provisioning({ what, ...narrowed, ...(history ? { history } : {}) }))
})

/** Narrowed by state, what leaves it is to be seen too: so that is done here, and not by whoever is asked. */
const showAndWatch = Effect.fnUntraced(function*(config: ShowConfig): Effect.fn.Return<never, Failure, Scope.Scope> {
  const { history, json, narrowed, what } = config
  const { state, ...others } = narrowed
  const request = { what, ...others }
  const source = yield* openFor(config)
  const following = yield* source.follow(request)
  const first = yield* source.provisioning({ ...request, ...(history ? { history } : {}) })
  const entries = first.entries.filter((entry) => state === undefined || inValue(entry, "state") === state)
  yield* print(config, { ...first, entries })
  return yield* watchOn({ following, first, state, json })
})

/** What cannot be asked is refused before a large file is read, or a connection is made. */
const openFor = ({ connection, from, narrowed, what }: ShowConfig): Effect.Effect<Source, Failure, Scope.Scope> =>
  Effect.andThen(
    Effect.mapError(
      Effect.fromResult(query(nothing, { what, ...narrowed })),
      ({ code, message }) => refused(code, message, "")
    ),
    openSource(from, connection)
  )

const nothing: VerbSource = { facts: Facts.fromSnapshot({ buckets: {} }), decisions: decide({ buckets: {} }) }

const print = ({ history, json, watch }: ShowConfig, reply: QueryReply): Effect.Effect<void> => {
  if (json) {
    return watch ? printJsonLine(replyJson(reply)) : printJson(replyJson(reply))
  }
  return printLines(linesOf(reply, history))
}

const replyJson = ({ conflicts, entries, outOfShape, what }: QueryReply): Json => ({
  what,
  entries: [...entries],
  outOfShape: [...outOfShape],
  ...(conflicts === undefined ? {} : { conflicts: [...conflicts] })
})

const linesOf = ({ conflicts = [], entries, outOfShape, what }: QueryReply, history: boolean): Iterable<Line> => {
  const columns = history ? [time, ...columnsOf[what]] : columnsOf[what]
  const rows = history ? entries.flatMap(withEarlier) : entries
  return paragraphs(
    entries.length === 0
      ? [[`There are no ${what === "registry" ? "kinds" : what} here.`]]
      : table(columns.map(([name]) => name), rows.map((row) => columns.map(([, cell]) => cell(row)))),
    headed("Kinds that more than one module would answer", conflictLines(conflicts)),
    headed("Facts out of shape", outOfShapeLines(outOfShape))
  )
}

/** An entry as it was, the oldest first, and as it is. What it was while it was not there, or no JSON, has no value. */
const withEarlier = (entry: QueryEntry): ReadonlyArray<QueryEntry> => {
  const { history, value: _, ...parts } = entry
  const earlier = Array.isArray(history) ? history.filter(isJsonObject) : []
  return [...earlier.map((one) => ({ ...parts, ...one, key: entry.key })), entry]
}

type Column = readonly [header: string, cell: (entry: QueryEntry) => Cell]

const part = (name: string): Column => [name.toUpperCase(), (entry) => textOf(member(entry, name))]

const field = (name: string): Column => [name.toUpperCase(), (entry) => textOf(inValue(entry, name))]

const inValue = ({ value }: QueryEntry, name: string): Json | undefined =>
  isJsonObject(value) ? member(value, name) : undefined

const textOf = (value: Json | undefined): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)

const listOf = (name: string): Column => [name.toUpperCase(), (entry) => {
  const value = inValue(entry, name)
  return Array.isArray(value) ? value.map(textOf).join(", ") : textOf(value)
}]

const time: Column = ["TIME", (entry) => textOf(member(entry, "time")) || "now"]

// What no reply could hold came without its value.
const state: Column = [
  "STATE",
  (entry) => member(entry, "tooLarge") === undefined ? stateWord(textOf(inValue(entry, "state"))) : "too large to show"
]

const provider: Column = ["PROVIDER", (entry) => {
  const value = inValue(entry, "provider")
  return isJsonObject(value) ? `${textOf(member(value, "node"))}.${textOf(member(value, "module"))}` : ""
}]

const foundAt: Column = ["FOUND AT", (entry) => {
  const find = inValue(entry, "find")
  const of = (name: string) => isJsonObject(find) ? textOf(member(find, name)) : ""
  return of("seat") === "" ? `${of("bucket")} ${of("key")}` : `verb ${of("verb")} of seat ${of("seat")}`
}]

/** A value of a stranger's making, as much of it as a table has room for. */
const valueOf = (header: string): Column => [header, (entry) => {
  const text = textOf(member(entry, "value"))
  const start = cut(text, shownCodePointsMax)
  return start === text ? text : `${start}…`
}]

const shownCodePointsMax = 60

const consumer = [part("node"), part("module")]
const need = [...consumer, part("kind"), part("name")]

const columnsOf: { readonly [What in QueryWhat]: ReadonlyArray<Column> } = {
  registry: [part("kind"), field("module"), foundAt],
  needs: [...need, valueOf("WITH")],
  applied: [...consumer, field("build"), field("instance"), field("plan"), listOf("own")],
  collect: [part("node"), part("collection"), part("contributor"), valueOf("ITEM")],
  provisions: [...need, state, field("reason"), provider],
  plans: [...consumer, state, field("build"), listOf("blocked")],
  asks: [part("key"), state, field("why")]
}
