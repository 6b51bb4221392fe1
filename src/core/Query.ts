/**
 * The pure half of the verb `mesh-provisioner.provisioning` (protocol §8): reads the registry, what the clients wrote,
 * and the decisions, narrowed and in pages.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Caller } from "./Caller.ts"
import type { Conflict, OutOfShape } from "./Decision.ts"
import type { Json, JsonObject } from "./Json.ts"
import { historyPageEntriesMax, pageEntriesMax, replyBytesMax } from "./Limits.ts"
import { bytesOf, escapedBytesMax, pageOf } from "./Page.ts"
import { type EntryItem, type Item, itemsFrom, type Looked, type QueryEntry } from "./QueryItems.ts"
import { listed, type QueryWhat, queryWhat } from "./QueryWhat.ts"
import { refuse, requestOf, type VerbError, type VerbSource } from "./Verb.ts"
import { cut, verbWhy } from "./Words.ts"

const PageLimit = Schema.Int.pipe(
  Schema.check(
    Schema.isBetween({ minimum: 1, maximum: pageEntriesMax }, {
      expected: `a whole number from 1 to ${pageEntriesMax}`
    })
  )
)

const readRequest = requestOf(Schema.Struct({
  what: Schema.optionalKey(Schema.Literals(queryWhat)),
  node: Schema.optionalKey(Schema.String),
  module: Schema.optionalKey(Schema.String),
  collection: Schema.optionalKey(Schema.String),
  state: Schema.optionalKey(Schema.String),
  history: Schema.optionalKey(Schema.Boolean),
  limit: Schema.optionalKey(PageLimit),
  after: Schema.optionalKey(Schema.String)
}))

type Request = Result.Result.Success<ReturnType<typeof readRequest>>

/** An earlier value of a key that the bus still has, and when it was written. */
export interface Earlier {
  readonly value: Json | undefined
  readonly time: string
}

export type { QueryEntry } from "./QueryItems.ts"

/** A page of the verb's answer (protocol §8). `next` is the `after` of the following one. */
export interface QueryReply {
  readonly what: QueryWhat
  readonly entries: ReadonlyArray<QueryEntry>
  readonly outOfShape: ReadonlyArray<OutOfShape>
  readonly conflicts?: ReadonlyArray<Conflict>
  readonly next?: string
}

/** What a caller may hand in beside the request. */
export interface QueryOptions {
  /** Who asks, where the bus says so: only what is for that caller to see is listed. */
  readonly caller?: Caller
  /** The bytes that a reply may have, as JSON; NATS' own default where left out. */
  readonly replyBytesMax?: number
  /** The most entries of a page where the request names no limit. */
  readonly pageEntriesMax?: number
  /**
   * So many keys are looked at before a page ends, though it may have no entries: where the source keeps its keys in order. All
   * where left out.
   */
  readonly looksMax?: number
  /**
   * The earlier values of a key that the bus still has, oldest first. Where it gives nothing at all, they were not looked
   * up: the page ends before that key; as the first of a page, it is given without.
   */
  readonly history?: (bucket: string, key: string) => ReadonlyArray<Earlier> | undefined
}

/**
 * Answers a request of the verb `mesh-provisioner.provisioning` (protocol §8): a page of entries by key in code-unit
 * order, with the facts out of shape and the conflicts that belong to it, each in the page that its key falls into.
 *
 * @param request the decoded JSON of the request; `{}` is the registry.
 * @returns the page, or why the request is refused: 400, naming what is allowed.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { decide, Facts, query } from "mesh-provisioner/core"
 *
 * const facts = Facts.fromSnapshot({ buckets: { "mesh-provisioner_needs": { "n1.shop.bound.database": {} } } })
 * const source = { facts, decisions: decide(facts) }
 * Result.getOrThrow(query(source, { what: "provisions", state: "asked" })).entries.map(({ key }) => key)
 * // ["n1.shop.bound.database"]
 * Result.isFailure(query(source, { what: "provisions", state: "ready" })) // true
 * ```
 */
export const query = (
  source: VerbSource,
  request: unknown,
  options: QueryOptions = {}
): Result.Result<QueryReply, VerbError> =>
  Result.flatMap(readRequest(request), (read) => {
    const what = read.what ?? "registry"
    return faultOf(what, read) ?? Result.succeed(page(source, what, read, options))
  })

const faultOf = (what: QueryWhat, request: Request): Result.Result<never, VerbError> | undefined => {
  const { filters, states } = listed[what]
  const filter = (["node", "module", "collection"] as const)
    .find((name) => request[name] !== undefined && !filters.includes(name))
  if (filter !== undefined) {
    return refuse(400, verbWhy.noFilter(filter, what, filters))
  }
  return request.state !== undefined && !states.includes(request.state)
    ? refuse(400, verbWhy.noState(what, states))
    : undefined
}

// --- pages -------------------------------------------------------------------------------------------------------

const page = (source: VerbSource, what: QueryWhat, request: Request, options: QueryOptions): QueryReply => {
  const { bucket } = listed[what]
  const looked: Looked = { until: undefined }
  const { items, next = looked.until } = pageOf(itemsFrom(source, what, request, options, looked), {
    limit: Math.min(
      request.limit ?? options.pageEntriesMax ?? pageEntriesMax,
      request.history === true ? historyPageEntriesMax : Number.POSITIVE_INFINITY
    ),
    after: request.after,
    bytesMax: options.replyBytesMax ?? replyBytesMax,
    finish: (item, roomBytes) =>
      item.list === "entries" && request.history === true ? withHistory(options, bucket, item, roomBytes) : item,
    shorten
  })
  return {
    what,
    entries: items.flatMap((item) => item.list === "entries" ? [item.item] : []),
    outOfShape: items.flatMap((item) => item.list === "outOfShape" ? [item.item] : []),
    ...(what === "registry"
      ? { conflicts: items.flatMap((item) => item.list === "conflicts" ? [item.item] : []) }
      : {}),
    ...(next === undefined ? {} : { next })
  }
}

/**
 * An entry with its earlier values, the oldest first; where they are too many for a reply, the oldest are left out. Nothing where
 * they were not looked up.
 */
const withHistory = (
  { history = () => [] }: QueryOptions,
  bucket: string,
  item: EntryItem,
  bytesMax: number
): EntryItem | undefined => {
  const earlierValues = history(bucket, item.place)
  if (earlierValues === undefined) {
    return undefined
  }
  const kept: Array<JsonObject> = []
  let room = bytesMax - bytesOf(item) - "\"history\":[],".length
  for (const { time, value } of [...earlierValues].reverse()) {
    const earlier = { time, ...(value === undefined ? {} : { value }) }
    room -= bytesOf({ place: item.place, item: earlier })
    if (room < 0) {
      break
    }
    kept.push(earlier)
  }
  return { ...item, item: { ...item.item, history: kept.reverse() } }
}

/** What stands in a reply for an item that no reply could hold: the parts of its key, and how large its value is. */
const shorten = (item: Item, bytes: number, bytesMax: number): Item => {
  // Of two texts each may take a third, even where every character of it is escaped.
  const codePointsMax = Math.max(1, Math.floor(bytesMax / (3 * escapedBytesMax)))
  switch (item.list) {
    case "entries":
      return { ...item, item: { ...withoutValue(item.item), tooLarge: bytes } }
    case "outOfShape": {
      const { bucket, key, why } = item.item
      return { ...item, item: { bucket, key: cut(key, codePointsMax), why: cut(why, codePointsMax) } }
    }
    case "conflicts": {
      const { kind, module, why } = item.item
      return { ...item, item: { kind: cut(kind, codePointsMax), module, why: cut(why, codePointsMax) } }
    }
  }
}

const withoutValue = ({ history: _history, value: _value, ...parts }: QueryEntry): QueryEntry => parts
