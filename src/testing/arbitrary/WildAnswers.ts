/**
 * An operator's answers in a wild mesh: each is given to what some bound entry of the mesh says, mostly rightly.
 */
import * as fc from "fast-check"
import type { Json } from "../../core/Json.ts"
import { digest, join } from "../naive/name.ts"

/** The values of a mesh that is being drawn, by bucket and key. */
export type Draft = Map<string, Map<string, Json>>

/** An answer to be given to what the mesh holds: to which entry, of which maker, right or not. */
export interface Answering {
  readonly entry: number
  readonly maker: number
  readonly answer: "retire" | "keep"
  readonly isRight: boolean
}

export const answerings: fc.Arbitrary<Array<Answering>> = fc.array(
  fc.record({
    entry: fc.nat(9),
    maker: fc.nat(2),
    answer: fc.constantFrom("retire" as const, "retire" as const, "keep" as const),
    isRight: fc.constantFrom(true, true, false)
  }),
  { maxLength: 2 }
)

/** An answer to what some bound entry of the mesh says of one of its nodes. */
export const answerTo = (buckets: Draft, { answer, entry, isRight, maker }: Answering) => {
  const entries = [...buckets].flatMap(([bucket, values]) =>
    bucket.endsWith("_bound") ? Array.from(values, ([key, value]) => ({ module: bucket.slice(0, -6), key, value })) : []
  )
  const about = entries.length === 0 ? undefined : entries[entry % entries.length]
  if (about === undefined || typeof about.value !== "object" || about.value === null || Array.isArray(about.value)) {
    return undefined
  }
  const members = about.value as { readonly [name: string]: Json }
  const also = Array.isArray(members["also"]) ? members["also"] as ReadonlyArray<Json> : []
  const node =
    [members["by"], ...also].filter((one) => typeof one === "string" && one !== "" && one.isWellFormed())[maker]
  if (typeof node !== "string") {
    return undefined
  }
  const { by, for: instance, values } = members
  const has = maker > 0
    ? { also: node }
    : {
      by: by ?? null,
      ...(instance === undefined ? {} : { for: instance }),
      ...(values === undefined ? {} : { values })
    }
  const value = { answer, entry: isRight ? digest(has) : "0".repeat(32), by: "ann" }
  return { key: `${join(node, about.module)}.${about.key}`, value }
}
