/**
 * `show`: what a file holds, or what is decided from it, as a table.
 */
import * as Effect from "effect/Effect"
import { isJsonObject, type Json, member } from "../core/Json.ts"
import { query, type QueryEntry, type QueryReply } from "../core/Query.ts"
import type { QueryWhat } from "../core/QueryWhat.ts"
import { cut } from "../core/Words.ts"
import type { Failure } from "./Failure.ts"
import { type Line, printJson, printLines } from "./Print.ts"
import { conflictLines, headed, outOfShapeLines, paragraphs, stateWord } from "./Say.ts"
import { answered, readSource, sourceOf } from "./Source.ts"
import { type Cell, table } from "./Table.ts"

/** What `show` is asked. */
export interface ShowConfig {
  readonly what: QueryWhat
  readonly from: string
  readonly narrowed: { readonly [filter: string]: string }
  readonly json: boolean
}

/** Runs `show`. */
export const run = Effect.fnUntraced(function*(config: ShowConfig): Effect.fn.Return<void, Failure> {
  const { from, json, narrowed, what } = config
  const request = { what, ...narrowed }
  // What cannot be asked is refused before a large file is read.
  yield* Effect.flatMap(sourceOf({ buckets: {} }), (nothing) => answered(query(nothing, request)))
  const reply = yield* answered(query(yield* readSource(from), request, unbounded))
  yield* json ? printJson(replyJson(reply)) : printLines(linesOf(reply))
})

/** A person is shown all of it at once. */
const unbounded = { replyBytesMax: Number.POSITIVE_INFINITY, pageEntriesMax: Number.POSITIVE_INFINITY }

const replyJson = ({ conflicts, entries, outOfShape, what }: QueryReply): Json => ({
  what,
  entries: [...entries],
  outOfShape: [...outOfShape],
  ...(conflicts === undefined ? {} : { conflicts: [...conflicts] })
})

const linesOf = ({ conflicts = [], entries, outOfShape, what }: QueryReply): Iterable<Line> => {
  const columns = columnsOf[what]
  return paragraphs(
    entries.length === 0
      ? [[`There are no ${what === "registry" ? "kinds" : what} here.`]]
      : table(columns.map(([name]) => name), entries.map((entry) => columns.map(([, cell]) => cell(entry)))),
    headed("Kinds that more than one module would answer", conflictLines(conflicts)),
    headed("Facts out of shape", outOfShapeLines(outOfShape))
  )
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

const state: Column = ["STATE", (entry) => stateWord(textOf(inValue(entry, "state")))]

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
