/**
 * The worked examples of the protocol's page: `json facts`, followed by what comes of them, in blocks that say what they show:
 * `json decisions` (of each decision the fields that the page gives, `null` for a key that there is none of), `json writes`, and a
 * `json reply` to each `json request`.
 */
import {
  decide,
  type Decisions,
  diff,
  explain,
  Facts,
  isJsonObject,
  type Json,
  type JsonObject,
  query,
  retire,
  type Snapshot,
  storedIn,
  type VerbSource
} from "mesh-provisioner/core"
import { jsonText } from "./JsonText.ts"

/** A page with what its examples really come to in place of what it says. */
export const withRealResults = (markdown: string): string => {
  let snapshot: Snapshot = { buckets: {} }
  let request: Json = {}
  return markdown.replaceAll(/^```json (\w+)\n([^]*?)^```$/gm, (block: string, shows: string, text: string) => {
    const json: Json = JSON.parse(text)
    switch (shows) {
      case "facts":
        snapshot = JSON.parse(text)
        return block
      case "request":
        request = json
        return block
      case "decisions":
        return block.replace(text, () => `${jsonText(shownOf(decide(snapshot), json))}\n`)
      case "writes":
        return block.replace(text, () => `${jsonText(writesOf(snapshot))}\n`)
      case "reply":
        return block.replace(text, () => `${jsonText(replyTo(snapshot, request))}\n`)
      default:
        throw new Error(`No example shows ${shows}.`)
    }
  })
}

/** What was decided, as much of it as an example shows; what is out of shape and what conflicts, all of it. */
const shownOf = (decisions: Decisions, shown: Json): Json => {
  const buckets = new Map<string, ReadonlyMap<string, Json>>([
    ["mesh-provisioner_registry", decisions.registry],
    ["mesh-provisioner_provisions", decisions.provisions],
    ["mesh-provisioner_asks", decisions.asks],
    ["mesh-provisioner_plans", decisions.plans]
  ])
  const lists = new Map<string, Json>([
    ["outOfShape", [...decisions.outOfShape]],
    ["conflicts", [...decisions.conflicts]],
    ["answersToDelete", [...decisions.answersToDelete]]
  ])
  const asked = isJsonObject(shown) ? shown : {}
  return Object.fromEntries([
    ...Object.entries(asked).filter(([name]) => !lists.has(name)).map(([bucket, keys]) => [
      bucket,
      keysOf(buckets.get(bucket) ?? new Map(), isJsonObject(keys) ? keys : {})
    ]),
    ...[...lists].filter(([name, list]) => Object.hasOwn(asked, name) || (Array.isArray(list) && list.length > 0))
  ])
}

const keysOf = (values: ReadonlyMap<string, Json>, shown: JsonObject): Json =>
  Object.fromEntries(
    Object.entries(shown).map(([key, fields]) => {
      const value = values.get(key)
      return [key, isJsonObject(value) ? fieldsOf(value, Object.keys(isJsonObject(fields) ? fields : value)) : null]
    })
  )

const fieldsOf = (value: JsonObject, names: ReadonlyArray<string>): Json =>
  Object.fromEntries(names.flatMap((name) => Object.hasOwn(value, name) ? [[name, value[name] ?? null]] : []))

/** The writes against what the example has stored; the registry, the same in every example, is left out. */
const writesOf = (snapshot: Snapshot): Json =>
  diff(storedIn(snapshot), decide(snapshot)).filter(({ bucket }) => bucket !== "mesh-provisioner_registry")

/** The reply to a request: which verb it is of is seen by its fields. */
const replyTo = (snapshot: Snapshot, request: Json): Json => {
  const facts = Facts.fromSnapshot(snapshot)
  const source = { facts, decisions: decide(facts) }
  const result = verbOf(request)(source, request)
  return result._tag === "Success"
    ? JSON.parse(JSON.stringify(result.success))
    : { error: { code: result.failure.code, message: result.failure.message } }
}

const verbOf = (
  request: Json
): (source: VerbSource, request: Json) => ReturnType<typeof query | typeof explain | typeof retire> =>
  isJsonObject(request) && Object.hasOwn(request, "answer")
    ? retire
    : isJsonObject(request) && !Object.hasOwn(request, "what") && Object.hasOwn(request, "module")
    ? explain
    : query
