/**
 * What a verb's answer over NATS holds, read as untrusted: whoever may listen on the verb's subject could have written it.
 * Every part is looked at, and nothing that comes is deeper or longer than a provisioner's answer can be.
 */
import type { Msg } from "@nats-io/transport-node"
import * as Result from "effect/Result"
import type { Conflict, OutOfShape } from "../../core/Decision.ts"
import type { WouldList } from "../../core/Diff.ts"
import type { ExplainReply, Step } from "../../core/Explain.ts"
import { isJsonObject, type Json, type JsonObject, member, textMember, valueFault } from "../../core/Json.ts"
import { explainStepsMax } from "../../core/Limits.ts"
import type { QueryEntry, QueryReply } from "../../core/Query.ts"
import { queryWhat } from "../../core/QueryWhat.ts"
import { readUtf8 } from "../../core/Utf8.ts"
import type { WhatIfReply, WouldChange } from "../../core/WhatIf.ts"
import { headersOf } from "./Requests.ts"
import type { VerbCallReason } from "./VerbCallError.ts"

/** What the verb `retire` answers: the ask's key, and the answer as it was written. */
export interface Retired {
  readonly key: string
  readonly value: Json
}

/** The JSON of an answer, or the refusal that it is. */
export const readAnswer = (message: Msg): Result.Result<Json, VerbCallReason> => {
  const json = jsonOf(message.data)
  const headers = headersOf(message)
  const code = headers?.get("Nats-Service-Error-Code") ?? ""
  if (code === "") {
    return json === undefined ? Result.fail({ _tag: "Unreadable" }) : Result.succeed(json)
  }
  const error = isJsonObject(json) ? member(json, "error") : undefined
  const words = textMember(error, "message") ?? headers?.get("Nats-Service-Error") ?? ""
  return Result.fail(
    /^[45]\d\d$/.test(code) && words !== ""
      ? { _tag: "Refused", code: Number(code), words: words.slice(0, wordsCharactersMax) }
      : { _tag: "Unreadable" }
  )
}

/** What a refusal says is cut to so many characters. */
const wordsCharactersMax = 4_096

const jsonOf = (data: Uint8Array): Json | undefined => {
  try {
    const json: Json | undefined = JSON.parse(readUtf8(data) ?? "")
    return json
  } catch {
    return undefined
  }
}

// --- provisioning ------------------------------------------------------------------------------------------------

/** A page of the verb `provisioning`; none where this is no such page. */
export const readPage = (json: Json): QueryReply | undefined => {
  const text = textMember(json, "what")
  const what = queryWhat.find((one) => one === text)
  const entries = listIn(json, "entries", readEntry)
  const outOfShape = listIn(json, "outOfShape", readOutOfShape)
  const conflicts = isJsonObject(json) && Object.hasOwn(json, "conflicts")
    ? listIn(json, "conflicts", readConflict)
    : null
  const next = textMember(json, "next")
  return what === undefined || entries === undefined || outOfShape === undefined || conflicts === undefined
    ? undefined
    : {
      what,
      entries,
      outOfShape,
      ...(conflicts === null ? {} : { conflicts }),
      ...(next === undefined ? {} : { next })
    }
}

/** A list of an answer, where each of it can be read. */
const listIn = <A>(json: Json, name: string, read: (item: Json) => A | undefined): ReadonlyArray<A> | undefined => {
  const list = isJsonObject(json) ? member(json, name) : undefined
  if (!Array.isArray(list)) {
    return undefined
  }
  const found: Array<A> = []
  for (const item of list) {
    const one = read(item)
    if (one === undefined) {
      return undefined
    }
    found.push(one)
  }
  return found
}

const readEntry = (json: Json): QueryEntry | undefined => isEntry(json) ? json : undefined

const isEntry = (json: Json): json is JsonObject & QueryEntry =>
  textMember(json, "key") !== undefined && valueFault(json, -containersAroundMax) === undefined

/** An earlier value lies in an entry, in its history, in what says its time. */
const containersAroundMax = 3

const readOutOfShape = (json: Json): OutOfShape | undefined => {
  const [bucket, key, why] = ["bucket", "key", "why"].map((name) => textMember(json, name))
  return bucket === undefined || key === undefined || why === undefined ? undefined : { bucket, key, why }
}

const readConflict = (json: Json): Conflict | undefined => {
  const [kind, module, why] = ["kind", "module", "why"].map((name) => textMember(json, name))
  return kind === undefined || module === undefined || why === undefined ? undefined : { kind, module, why }
}

// --- explain, retire ---------------------------------------------------------------------------------------------

/** An answer of the verb `explain`; none where this is no such answer. */
export const readExplanation = (json: Json): ExplainReply | undefined => {
  const [node, module, kind, name] = ["node", "module", "kind", "name"].map((part) => textMember(json, part))
  const tree = isJsonObject(json) ? readTree(member(json, "tree")) : undefined
  return node === undefined || module === undefined || tree === undefined
    ? undefined
    : { node, module, ...(kind === undefined ? {} : { kind }), ...(name === undefined ? {} : { name }), tree }
}

/** No tree has more steps. A provisioner's has half as many, and what says that there are more. */
const stepsMax = 2 * explainStepsMax

// One step after the other, and not each within the one before: a tree may be deeper than a stack.
const readTree = (json: Json | undefined): Step | undefined => {
  const root: Array<Step> = []
  const left: Array<{ readonly json: Json | undefined; readonly siblings: Array<Step> }> = [{ json, siblings: root }]
  let count = 0
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    const causes: Array<Step> = []
    const found = isJsonObject(one.json) ? member(one.json, "causes") : undefined
    const step = readStep(one.json, causes)
    count += 1
    if (step === undefined || !Array.isArray(found) || count + left.length + found.length > stepsMax) {
      return undefined
    }
    one.siblings.push(step)
    left.push(...found.map((cause: Json) => ({ json: cause, siblings: causes })).reverse())
  }
  return root[0]
}

const readStep = (json: Json | undefined, causes: ReadonlyArray<Step>): Step | undefined => {
  const [bucket, key, why, state, reason] = ["bucket", "key", "why", "state", "reason"].map((name) =>
    textMember(json, name)
  )
  if (!isJsonObject(json) || bucket === undefined || key === undefined || why === undefined) {
    return undefined
  }
  const circle = listIn(json, "circle", (one) => typeof one === "string" ? one : undefined)
  return {
    bucket,
    key,
    ...(state === undefined ? {} : { state }),
    ...(reason === undefined ? {} : { reason }),
    why,
    ...(circle === undefined ? {} : { circle }),
    ...(member(json, "seen") === true ? { seen: true } : {}),
    causes
  }
}

/** An answer of the verb `retire`; none where this is no such answer. */
export const readRetired = (json: Json): Retired | undefined => {
  const key = textMember(json, "key")
  const value = isJsonObject(json) ? member(json, "value") : undefined
  return key === undefined || value === undefined || valueFault(value) !== undefined ? undefined : { key, value }
}

// --- what-if -----------------------------------------------------------------------------------------------------

/** An answer of the verb `what-if`; none where this is no such answer. */
export const readWouldChange = (json: Json): WhatIfReply | undefined => {
  if (!isJsonObject(json)) {
    return undefined
  }
  const decisions = listIn(json, "decisions", readWould)
  const answersToDelete = listIn(json, "answersToDelete", (one) => typeof one === "string" ? one : undefined)
  const outOfShape = readLists(member(json, "outOfShape"), readOutOfShape)
  const conflicts = readLists(member(json, "conflicts"), readConflict)
  const more = member(json, "more")
  return decisions === undefined || answersToDelete === undefined || outOfShape === undefined || conflicts === undefined
    ? undefined
    : { decisions, answersToDelete, outOfShape, conflicts, ...(typeof more === "number" ? { more } : {}) }
}

const readWould = (json: Json): WouldChange | undefined => {
  const [bucket, key] = ["bucket", "key"].map((name) => textMember(json, name))
  const [before, after] = isJsonObject(json) ? [member(json, "before"), member(json, "after")] : []
  return bucket === undefined || key === undefined
    ? undefined
    : { bucket, key, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
}

const readLists = <A>(
  json: Json | undefined,
  read: (json: Json) => A | undefined
): WouldList<A> | undefined => {
  const appears = isJsonObject(json) ? listIn(json, "appears", read) : undefined
  const goes = isJsonObject(json) ? listIn(json, "goes", read) : undefined
  return appears === undefined || goes === undefined ? undefined : { appears, goes }
}
