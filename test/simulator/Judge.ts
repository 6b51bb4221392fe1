/**
 * Judges a simulated mesh at rest by the naive twin, which was written from the protocol's text alone: the bus is to hold
 * what the twin decides of the facts on it, all but the words.
 */
import { isDeepStrictEqual } from "node:util"
import { isDecisionBucket } from "../../src/core/BucketName.ts"
import { isJsonObject, type Json } from "../../src/core/Json.ts"
import type { Snapshot } from "../../src/core/Snapshot.ts"
import type { Held } from "../../src/simulator/index.ts"
import { naiveDecide } from "../../src/testing/naive/decide.ts"

/** What a simulated bus holds, as a snapshot. */
export const snapshotOf = (held: Held): Snapshot => {
  const buckets: { [bucket: string]: { [key: string]: Json } } = {}
  const raw: { [bucket: string]: { [key: string]: string } } = {}
  for (const [bucket, values] of held) {
    buckets[bucket] = {}
    for (const [key, bytes] of values) {
      const json = readJson(bytes)
      if (json === undefined) {
        raw[bucket] = { ...raw[bucket], [key]: Buffer.from(bytes).toString("base64") }
      } else {
        buckets[bucket][key] = json
      }
    }
  }
  return { buckets, raw }
}

/** The JSON of bytes, where they hold any, and no number that nobody could read back. */
const readJson = (bytes: Uint8Array): Json | undefined => {
  try {
    const json: Json = JSON.parse(new TextDecoder().decode(bytes))
    return isFinite(json) ? json : undefined
  } catch {
    return undefined
  }
}

const isFinite = (json: Json): boolean =>
  typeof json === "number"
    ? Number.isFinite(json)
    : typeof json !== "object" || json === null || Object.values(json).every((inner) => isFinite(inner))

/** What is wrong with a bus at rest by the twin, if anything. */
export const judgeByTwin = (held: Held): string | undefined => {
  const snapshot = snapshotOf(held)
  const twin = naiveDecide({
    buckets: Object.fromEntries(Object.entries(snapshot.buckets).filter(([bucket]) => !isDecisionBucket(bucket))),
    ...(snapshot.raw === undefined ? {} : { raw: snapshot.raw })
  })
  const decided = [
    ["mesh-provisioner_registry", twin.registry],
    ["mesh-provisioner_provisions", twin.provisions],
    ["mesh-provisioner_asks", twin.asks],
    ["mesh-provisioner_plans", twin.plans]
  ] as const
  for (const [bucket, values] of decided) {
    const stored = new Map(Object.entries(snapshot.buckets[bucket] ?? {}).filter(([key]) => key !== "_epoch"))
    for (const key of new Set([...stored.keys(), ...values.keys()])) {
      const wanted: unknown = values.get(key)
      const isWordless = !isJsonObject(wanted) || wanted["why"] === undefined
      const found = isWordless ? withoutWords(stored.get(key)) : withoutWordsOfCandidates(stored.get(key))
      if (!isDeepStrictEqual(found, wanted)) {
        return `${bucket} ${key} holds ${JSON.stringify(found)}, and its twin says ${JSON.stringify(wanted)}`
      }
    }
  }
  return undefined
}

const withoutWords = (json: Json | undefined): Json | undefined => {
  const rest = withoutWordsOfCandidates(json)
  if (!isJsonObject(rest)) {
    return rest
  }
  const { why: _, ...wordless } = rest
  return wordless
}

const withoutWordsOfCandidates = (json: Json | undefined): Json | undefined => {
  const candidates = isJsonObject(json) ? json["candidates"] : undefined
  return isJsonObject(json) && candidates instanceof Array
    ? {
      ...json,
      candidates: candidates.map((candidate) => {
        const { why: _, ...rest } = Object(candidate)
        return rest
      })
    }
    : json
}
