/**
 * The pure half of the verb `mesh-provisioner.provisioning` (protocol §8): reads the registry, what the clients wrote,
 * and the decisions, narrowed and in pages.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Caller } from "./Caller.ts"
import type { Conflict, OutOfShape } from "./Decision.ts"
import { type Json, type JsonObject, textMember } from "./Json.ts"
import { readKey, writeKey } from "./Key.ts"
import { historyPageEntriesMax, keyBytesMax, pageEntriesMax, replyBytesMax } from "./Limits.ts"
import { readToken } from "./Name.ts"
import { bytesOf, escapedBytesMax, pageOf } from "./Page.ts"
import { listed, type QueryWhat, queryWhat } from "./QueryWhat.ts"
import { isSeenBy } from "./Sight.ts"
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

/**
 * One entry of a page: its key, each part of the key by its name (`node`, `module`, …), and its value; with `history`,
 * its earlier values. `tooLarge` stands in place of a value that no reply could hold, and says how many bytes it has.
 */
export type QueryEntry = { readonly [part: string]: Json } & { readonly key: string }

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

// --- what is listed ----------------------------------------------------------------------------------------------

/** One thing of a page, in the place that its key gives it. */
type Item =
  | EntryItem
  | { readonly place: string; readonly list: "outOfShape"; readonly item: OutOfShape }
  | { readonly place: string; readonly list: "conflicts"; readonly item: Conflict }

interface EntryItem {
  readonly place: string
  readonly list: "entries"
  readonly item: QueryEntry
}

const itemsOf = (
  source: VerbSource,
  what: QueryWhat,
  request: Request,
  caller: Caller | undefined
): ReadonlyArray<Item> => {
  const { bucket, madeFrom, shape } = listed[what]
  const items: Array<Item> = []
  for (const [key, value] of valuesOf(source, what)) {
    if (!isSeenBy(caller, bucket, key)) {
      continue
    }
    const names = Result.getOrUndefined(readKey(shape, key))
    if (names !== undefined && matches(what, request, names, value)) {
      items.push({ place: key, list: "entries", item: { key, ...names, value } })
    }
  }
  for (const item of source.decisions.outOfShape) {
    const isAskedFor = (madeFrom === undefined || madeFrom(item.bucket)) && mayConcern(what, request, item.key)
    if (isAskedFor && isSeenBy(caller, item.bucket, item.key)) {
      items.push({ place: cut(item.key, keyBytesMax), list: "outOfShape", item })
    }
  }
  if (what === "registry") {
    for (const item of source.decisions.conflicts) {
      items.push({ place: writeKey(item.kind), list: "conflicts", item })
    }
  }
  return items
}

const valuesOf = ({ decisions, facts }: VerbSource, what: QueryWhat): Iterable<readonly [key: string, value: Json]> => {
  switch (what) {
    case "registry":
    case "provisions":
    case "plans":
    case "asks":
      return decisions[what]
    default:
      return [...facts[what].all()].flatMap(({ json, key }) => json === undefined ? [] : [[key, json] as const])
  }
}

const matches = (
  what: QueryWhat,
  { collection, module, node, state }: Request,
  names: { readonly [part: string]: string | undefined },
  value: Json
): boolean => {
  const found = {
    node: what === "asks" ? names["providerNode"] : names["node"],
    module: what === "collect"
      ? names["contributor"]
      : what === "registry"
      ? textMember(value, "module")
      : names["module"]
  }
  return (node === undefined || found.node === node) && (module === undefined || found.module === module) &&
    (collection === undefined || names["collection"] === collection) &&
    (state === undefined || textMember(value, "state") === state)
}

/** Whether a fact out of shape may be about what is asked for: what of its key does not read could be about anything. */
const mayConcern = (what: QueryWhat, { module, node }: Request, key: string): boolean => {
  if (what === "registry" || what === "asks") {
    return true
  }
  const tokens = key.split(".").map(readToken)
  const found = { node: tokens[0], module: tokens[what === "collect" ? 2 : 1] }
  return (node === undefined || found.node === undefined || found.node === node) &&
    (module === undefined || found.module === undefined || found.module === module)
}

// --- pages -------------------------------------------------------------------------------------------------------

const page = (source: VerbSource, what: QueryWhat, request: Request, options: QueryOptions): QueryReply => {
  const { bucket } = listed[what]
  const { items, next } = pageOf(itemsOf(source, what, request, options.caller), {
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
