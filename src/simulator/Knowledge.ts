/**
 * The facts as a simulated provisioner was told of them, kept plainly, to hold what it decided against. Nothing here is the
 * core's: what is read of a fact is read by the protocol's words alone.
 */
import { bucketName } from "../core/BucketName.ts"
import type { EngineChange } from "../core/Engine.ts"
import { isJsonObject, type Json, type JsonObject } from "../core/Json.ts"
import { Group } from "./Group.ts"
import { consumerIn, remembered } from "./Remembered.ts"

/** Facts, by bucket and key. */
export class Knowledge {
  readonly #buckets = new Map<string, Map<string, Json | undefined>>()
  /** The keys of needs, by their consumer. */
  readonly #needs = new Group()
  readonly #jsonOf: (bytes: Uint8Array) => Json | undefined

  constructor(jsonOf: (bytes: Uint8Array) => Json | undefined) {
    this.#jsonOf = jsonOf
  }

  /** Takes in what a provisioner is told. */
  take(change: EngineChange): void {
    if ("isThere" in change) {
      if (!change.isThere) {
        this.#vanish(change.bucket)
      } else if (!this.#buckets.has(change.bucket)) {
        this.#buckets.set(change.bucket, new Map())
      }
      return
    }
    const { bucket, key, value } = change
    if (value === undefined) {
      this.remove(bucket, key)
    } else {
      this.put(bucket, key, value instanceof Uint8Array ? this.#jsonOf(value) : value)
    }
  }

  /** Keeps what a key holds: `undefined` for what is no JSON. */
  put(bucket: string, key: string, json: Json | undefined): void {
    const values = this.#buckets.get(bucket) ?? new Map<string, Json | undefined>()
    this.#buckets.set(bucket, values)
    values.set(key, json)
    if (bucket === bucketName.needs) {
      this.#needs.add(consumerIn(key), key)
    }
  }

  /** Keeps that a key is gone. */
  remove(bucket: string, key: string): void {
    this.#buckets.get(bucket)?.delete(key)
    if (bucket === bucketName.needs) {
      this.#needs.remove(consumerIn(key), key)
    }
  }

  #vanish(bucket: string): void {
    for (const key of this.keys(bucket)) {
      this.remove(bucket, key)
    }
    this.#buckets.delete(bucket)
  }

  /** The keys of a consumer's needs, in shape or not. */
  needsOf(consumer: string): ReadonlySet<string> {
    return this.#needs.of(consumer)
  }

  /** Whether a bucket is there. */
  isThere(bucket: string): boolean {
    return this.#buckets.has(bucket)
  }

  /** Whether a key is there, whatever it holds. */
  has(bucket: string, key: string): boolean {
    return this.#buckets.get(bucket)?.has(key) === true
  }

  /** The JSON that a key holds. */
  get(bucket: string, key: string): Json | undefined {
    return this.#buckets.get(bucket)?.get(key)
  }

  /** The object that a key holds, where it is one. */
  object(bucket: string, key: string): JsonObject | undefined {
    const json = this.get(bucket, key)
    return isJsonObject(json) ? json : undefined
  }

  /** The buckets that are there. */
  buckets(): Iterable<string> {
    return this.#buckets.keys()
  }

  /** The keys of a bucket. */
  keys(bucket: string): Iterable<string> {
    return this.#buckets.get(bucket)?.keys() ?? []
  }
}

/** A provider's entry, where it is in shape (protocol §3). */
export interface SoundEntry {
  readonly state: string
  readonly by: string
  readonly why: string | undefined
  readonly also: ReadonlyArray<string>
  readonly for: string | undefined
  readonly values: JsonObject | undefined
}

/** A claim's entry in the bucket of a provider module, where it is in shape. */
export const entryIn = (facts: Knowledge, module: string, claim: string): SoundEntry | undefined => {
  const entry = facts.object(`${module}_bound`, claim)
  if (entry === undefined) {
    return undefined
  }
  const { also = [], by, for: instance, state, values, why } = entry
  const isSound = typeof state === "string" && state !== "" && typeof by === "string" && by !== "" &&
    isTextOrNone(why) && isTextOrNone(instance) && Array.isArray(also) &&
    also.every((node) => typeof node === "string" && node !== "") && (values === undefined || isJsonObject(values))
  return isSound ? { state, by, why, also: also.map(String), for: instance, values } : undefined
}

const isTextOrNone = (json: Json | undefined): json is string | undefined =>
  json === undefined || typeof json === "string"

/** The nodes that hold something by an entry. */
export const makersIn = ({ also, by, state }: SoundEntry): ReadonlySet<string> =>
  new Set([...(state === "retired" ? [] : [by]), ...also])

/** An assignment, where it is in shape. */
export const assignmentIn = (facts: Knowledge, key: string): JsonObject | undefined => {
  const assignment = facts.object("mesh-controller_assignments", key)
  return typeof assignment?.["build"] === "string" ? assignment : undefined
}

/** What a definition says of a provision, where that is in shape. */
export const provisionIn = (facts: Knowledge, module: string, provision: string): JsonObject | undefined => {
  const provides = facts.object("mesh-controller_modules", module)?.["provides"]
  const said = isJsonObject(provides) ? memberOf(provides, provision) : undefined
  return isJsonObject(said) && (said["credential"] === "consumer" || said["credential"] === "none") ? said : undefined
}

/** The types of a provision's fields by its contract. */
export const fieldsOf = (provision: JsonObject | undefined): JsonObject => {
  const contract = provision?.["contract"]
  const fields = isJsonObject(contract) ? contract["fields"] : undefined
  return isJsonObject(fields) ? fields : {}
}

/** The holder of a seat, where it has one. */
export const holderIn = (
  facts: Knowledge,
  seat: string
): { readonly node: string; readonly module: string } | undefined => {
  const { module, node } = facts.object("mesh-controller_seats", seat) ?? {}
  return typeof node === "string" && typeof module === "string" && (seat !== "vault" || module === "mesh-vault")
    ? { node, module }
    : undefined
}

/** A member of an object that is its own. */
export const memberOf = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** The claim of a need, in tokens after its consumer's, where a provider answers it: by its kind, name and value. */
export const claimOf = (kind: string, name: string, need: Json | undefined): string | undefined => {
  if (kind === "secret") {
    return `secret.${name}`
  }
  if (kind !== "bound" || !isJsonObject(need)) {
    return undefined
  }
  const { local, provision } = need
  return `${typeof provision === "string" ? tokenOf(provision) : name}${
    typeof local === "string" ? `.${tokenOf(local)}` : ""
  }`
}

/** A name as a token: of the names of a simulated mesh (protocol §2). */
export const tokenOf: (name: string) => string = remembered((name) =>
  /^[A-Za-z0-9_\-/]+$/.test(name) ? name : [...name].map(charactersToken).join("")
)

const charactersToken = (character: string): string => {
  const code = character.charCodeAt(0)
  const hex = (byte: number) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`
  return /[A-Za-z0-9_\-/]/.test(character)
    ? character
    : code < 0x80
    ? hex(code)
    : `${hex(0xc0 | (code >> 6))}${hex(0x80 | (code & 0x3f))}`
}

/** A token as a name: the inverse of {@link tokenOf}; nothing where it is none. */
export const nameOf: (token: string) => string = remembered((token) => {
  if (!token.includes("=")) {
    return token
  }
  try {
    return decodeURIComponent(token.replaceAll("%", "%25").replaceAll("=", "%"))
  } catch {
    return ""
  }
})
