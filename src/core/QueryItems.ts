/**
 * What the verb `provisioning` lists (protocol §8), in the order of keys: from all there is, or from keys that are kept in order.
 */
import * as Result from "effect/Result"
import type { Caller } from "./Caller.ts"
import type { Conflict, OutOfShape } from "./Decision.ts"
import { type Json, textMember } from "./Json.ts"
import { readKey, writeKey } from "./Key.ts"
import { keyBytesMax } from "./Limits.ts"
import { readToken, writeToken } from "./Name.ts"
import type { OrderedKeys } from "./OrderedKeys.ts"
import { inOrder, isPlainAfter } from "./Page.ts"
import { listed, type QueryWhat } from "./QueryWhat.ts"
import { isSeenBy } from "./Sight.ts"
import type { VerbSource } from "./Verb.ts"
import { cut } from "./Words.ts"

/** What is asked for. */
interface Narrowed {
  readonly node?: string
  readonly module?: string
  readonly collection?: string
  readonly state?: string
}

/** For whom, and how many keys are looked at. */
interface Looking {
  readonly caller?: Caller
  readonly looksMax?: number
}

/**
 * One entry of a page: its key, each part of the key by its name (`node`, `module`, …), and its value; with `history`,
 * its earlier values. `tooLarge` stands in place of a value that no reply could hold, and says how many bytes it has.
 */
export type QueryEntry = { readonly [part: string]: Json } & { readonly key: string }

/** One thing of a page, in the place that its key gives it. */
export type Item =
  | EntryItem
  | { readonly place: string; readonly list: "outOfShape"; readonly item: OutOfShape }
  | { readonly place: string; readonly list: "conflicts"; readonly item: Conflict }

/** An entry, in the place of its key. */
export interface EntryItem {
  readonly place: string
  readonly list: "entries"
  readonly item: QueryEntry
}

/** What is listed from a place on, in order; where the keys are kept so, nothing before it is looked at. */
export const itemsFrom = (
  source: VerbSource,
  what: QueryWhat,
  request: Narrowed,
  { caller, looksMax = Number.POSITIVE_INFINITY }: Looking,
  looked: Looked
): (place: string) => Iterable<Item> => {
  const others = inOrder(othersOf(source, what, request, caller))
  const order = source.order?.(what)
  if (order?.isWhole !== true) {
    const entries = [...valuesOf(source, what)].flatMap(([key, value]) =>
      entryOf(what, request, caller, key, value) ?? []
    )
    const all = inOrder<Item>([...entries, ...others])
    return (place) => all.filter((item) => item.place >= place)
  }
  return function*(place) {
    const rest = others.filter((item) => item.place >= place)
    let at = 0
    let looks = 0
    let last: string | undefined
    for (const key of keysFrom(order, what, request, caller, place)) {
      if (looks >= looksMax && last !== undefined && isPlainAfter(last)) {
        // What has the place of the key that was looked at last is said before it is gone on from there.
        for (; (rest[at]?.place ?? key) <= last; at++) {
          yield* rest.slice(at, at + 1)
        }
        looked.until = last
        return
      }
      for (; (rest[at]?.place ?? key) < key; at++) {
        yield* rest.slice(at, at + 1)
      }
      const value = valueOf(source, what, key)
      const entry = value === undefined ? undefined : entryOf(what, request, caller, key, value)
      // The key that the page begins behind is none of its own.
      looks += key > place ? 1 : 0
      last = key
      if (entry !== undefined) {
        yield entry
      }
    }
    yield* rest.slice(at)
  }
}

/** Until which key was looked, where that is not the end. */
export interface Looked {
  until: string | undefined
}

/** The keys that may be asked for, from a place on: of one node alone where it is. */
const keysFrom = function*(
  order: OrderedKeys,
  what: QueryWhat,
  { node }: Narrowed,
  caller: Caller | undefined,
  place: string
): Iterable<string> {
  const of = caller !== undefined && "node" in caller ? caller.node : node
  const prefix = of === undefined || what === "registry" ? "" : `${writeToken(of)}.`
  for (const key of order.from(place > prefix ? place : prefix)) {
    if (!key.startsWith(prefix)) {
      return
    }
    yield key
  }
}

const entryOf = (
  what: QueryWhat,
  request: Narrowed,
  caller: Caller | undefined,
  key: string,
  value: Json
): EntryItem | undefined => {
  const { bucket, shape } = listed[what]
  if ((request.state !== undefined && textMember(value, "state") !== request.state) || !isSeenBy(caller, bucket, key)) {
    return undefined
  }
  const names = Result.getOrUndefined(readKey(shape, key))
  return names !== undefined && matches(what, request, names, value)
    ? { place: key, list: "entries", item: { key, ...names, value } }
    : undefined
}

/** What is said beside the entries: facts out of shape, and the conflicts of the registry. */
const othersOf = (
  source: VerbSource,
  what: QueryWhat,
  request: Narrowed,
  caller: Caller | undefined
): ReadonlyArray<Item> => {
  const { madeFrom } = listed[what]
  const items: Array<Item> = []
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

const valueOf = ({ decisions, facts }: VerbSource, what: QueryWhat, key: string): Json | undefined => {
  switch (what) {
    case "registry":
    case "provisions":
    case "plans":
    case "asks":
      return decisions[what].get(key)
    default:
      return facts[what].fact(key)?.json
  }
}

const matches = (
  what: QueryWhat,
  { collection, module, node }: Narrowed,
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
    (collection === undefined || names["collection"] === collection)
}

/** Whether a fact out of shape may be about what is asked for: what of its key does not read could be about anything. */
const mayConcern = (what: QueryWhat, { module, node }: Narrowed, key: string): boolean => {
  if (what === "registry" || what === "asks") {
    return true
  }
  const tokens = key.split(".").map(readToken)
  const found = { node: tokens[0], module: tokens[what === "collect" ? 2 : 1] }
  return (node === undefined || found.node === undefined || found.node === node) &&
    (module === undefined || found.module === undefined || found.module === module)
}
