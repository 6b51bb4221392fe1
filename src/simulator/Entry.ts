/**
 * A provider's entry as it is written in its bound bucket (protocol §3), by whoever writes it.
 */
import { isJsonObject, type Json, type JsonObject } from "../core/Json.ts"

/** An entry as the provider writes it. */
export interface Entry {
  readonly state: string
  readonly by: string
  readonly why?: string
  readonly also?: ReadonlyArray<string>
  readonly for?: string
  readonly values?: JsonObject
}

/** The entry that a value is, where it reads as one. */
export const readEntry = (json: Json | undefined): Entry | undefined => {
  if (!isJsonObject(json) || typeof json["state"] !== "string" || typeof json["by"] !== "string") {
    return undefined
  }
  const { also, by, for: instance, state, values, why } = json
  return {
    state,
    by,
    ...(typeof why === "string" ? { why } : {}),
    ...(Array.isArray(also) ? { also: also.map(String) } : {}),
    ...(typeof instance === "string" ? { for: instance } : {}),
    ...(isJsonObject(values) ? { values } : {})
  }
}

/** An entry as it is written. */
export const entryJson = (entry: Entry | undefined): Json | undefined => entry && { ...entry }

/** The nodes that hold something by an entry. */
export const makersOf = ({ also = [], by, state }: Entry): ReadonlyArray<string> => [
  ...new Set([...(state === "retired" ? [] : [by]), ...also])
]

/** The member that names the other nodes, where there are any. */
export const alsoOf = (also: ReadonlyArray<string>): { readonly also?: ReadonlyArray<string> } =>
  also.length === 0 ? {} : { also }

/** What an entry says that a maker has, as an operator's answer is about it (protocol §3). */
export const whatIsSaid = (entry: Entry, maker: string): ReadonlyArray<Json> =>
  maker === entry.by && entry.state !== "retired"
    ? [{
      by: entry.by,
      ...(entry.for === undefined ? {} : { for: entry.for }),
      ...(entry.values === undefined ? {} : { values: entry.values })
    }]
    : [{ also: maker }]

/** A node's name by its token: one node's alone is written otherwise. */
export const readNode = (token: string): string => token === "hut=20=C3=A9=2E4" ? "hut é.4" : token

/** A node's token by its name. */
export const writeNode = (name: string): string => name === "hut é.4" ? "hut=20=C3=A9=2E4" : name
