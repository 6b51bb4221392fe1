/**
 * What a module is (protocol §3): what it provides, which kinds of need it answers, and how its directories treat files
 * they do not know. Each provision, answer and directory stands or falls alone.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isMeshBucket } from "../BucketName.ts"
import { isJsonObject, type Json, type JsonObject, member } from "../Json.ts"
import { writeKey } from "../Key.ts"
import { keyBytesMax } from "../Limits.ts"
import { isName, readToken, writeToken } from "../Name.ts"
import { type Fault, shape, under } from "../Shape.ts"
import { definitionExpects } from "../Words.ts"
import { Name, recordByName, Version } from "./Common.ts"

const FieldType = Schema.Literals(["string", "integer", "boolean", "secret"])

const ProvisionShape = Schema.Struct({
  credential: Schema.Literals(["consumer", "none"]),
  contract: Schema.optionalKey(Schema.Struct({
    version: Schema.optionalKey(Version),
    fields: Schema.optionalKey(recordByName(FieldType))
  })),
  retire: Schema.optionalKey(Schema.Literals(["ask", "free"])),
  seat: Schema.optionalKey(Name)
})

const BucketAnswer = Schema.Struct({ bucket: Schema.String, key: Schema.String })
const SeatAnswer = Schema.Struct({ seat: Name, verb: Name })
const Directory = Schema.Struct({ unknown: Schema.Literals(["program", "mesh", "leave"]) })

/** The type of a contract's field (protocol §3). */
export type FieldType = typeof FieldType.Type

/** What a module provides under a name, and by what contract, its defaults filled in (protocol §3). */
export interface ProvisionContract {
  readonly credential: "consumer" | "none"
  readonly version: string
  /** The fields by name, in the order of their names. */
  readonly fields: ReadonlyMap<string, FieldType>
  /** The fields that are secret, in the order of their names. */
  readonly secretFields: ReadonlyArray<SecretField>
  readonly retire: "ask" | "free"
  readonly seat: string | undefined
}

/** A secret field of a contract, and what a claim without a local name calls the credential that is its value (protocol §6.1). */
export interface SecretField {
  readonly field: string
  readonly credential: string
  /** That name as a token. */
  readonly token: string
}

/** Where a definition says that a kind of need is answered (protocol §3). */
export type DefinitionAnswer = typeof BucketAnswer.Type | typeof SeatAnswer.Type

/** How a directory treats files it does not know (protocol §3). */
export type Directory = typeof Directory.Type

/** A decoded definition: the parts that are in shape, and what is known of those that are not. */
export interface Definition {
  readonly provides: ReadonlyMap<string, ProvisionContract>
  /** Names of provisions that are there and out of shape: what they made is still held (protocol §5.2). */
  readonly brokenProvisions: ReadonlySet<string>
  /** Whether `provides` is no object, and so could hold any name. */
  readonly providesAnything: boolean
  readonly answers: ReadonlyMap<string, DefinitionAnswer>
  readonly directories: ReadonlyMap<string, Directory>
}

/** Whether a definition has a provision's name among what it provides, in shape or not (protocol §5.2). */
export const namesProvision = (definition: Definition, provision: string): boolean =>
  definition.provides.has(provision) || hasBrokenProvision(definition, provision)

/** Whether a definition has a provision's name, but not in shape. */
export const hasBrokenProvision = (definition: Definition, provision: string): boolean =>
  definition.brokenProvisions.has(provision) || definition.providesAnything

/**
 * Decodes a module's definition part by part (protocol §3).
 *
 * @param module the module's name, which an answer's bucket has to begin with.
 * @returns the definition, or `undefined` where it is no object, and every fault, each with its path.
 */
export const decodeDefinition = (
  value: Json,
  module: string
): { readonly definition: Definition | undefined; readonly faults: ReadonlyArray<Fault> } => {
  if (!isJsonObject(value)) {
    return { definition: undefined, faults: [{ path: [], expected: "expected an object" }] }
  }
  const provides = decodeParts(value, "provides", (name, part) => decodeProvision(module, name, part))
  const answers = decodeParts(value, "answers", (kind, part) => decodeAnswer(module, kind, part))
  const directories = decodeParts(value, "directories", (name, part) => decodeNamed(name, part, directory))
  return {
    definition: {
      provides: provides.parts,
      brokenProvisions: provides.broken,
      providesAnything: provides.noObject,
      answers: answers.parts,
      directories: directories.parts
    },
    faults: [...provides.faults, ...answers.faults, ...directories.faults]
  }
}

interface Parts<A> {
  readonly parts: ReadonlyMap<string, A>
  readonly broken: ReadonlySet<string>
  readonly noObject: boolean
  readonly faults: ReadonlyArray<Fault>
}

const decodeParts = <A>(
  definition: JsonObject,
  group: string,
  decode: (name: string, part: Json) => Result.Result<A, ReadonlyArray<Fault>>
): Parts<A> => {
  const whole = member(definition, group)
  const parts = new Map<string, A>()
  const broken = new Set<string>()
  const faults: Array<Fault> = []
  if (whole !== undefined && !isJsonObject(whole)) {
    return { parts, broken, noObject: true, faults: [{ path: [group], expected: "expected an object" }] }
  }
  for (const [name, part] of Object.entries(whole ?? {})) {
    const decoded = decode(name, part)
    if (Result.isSuccess(decoded)) {
      parts.set(name, decoded.success)
    } else {
      broken.add(name)
      for (const fault of under([group, name], decoded.failure)) {
        faults.push(fault)
      }
    }
  }
  return { parts, broken, noObject: false, faults }
}

const provision = shape(ProvisionShape)
const bucketAnswer = shape(BucketAnswer)
const seatAnswer = shape(SeatAnswer)
const directory = shape(Directory)

const wrong = (expected: string, ...path: ReadonlyArray<string>) =>
  Result.fail<ReadonlyArray<Fault>>([{ path, expected }])

const decodeNamed = <A>(
  name: string,
  part: Json,
  decode: (part: Json) => Result.Result<A, ReadonlyArray<Fault>>
): Result.Result<A, ReadonlyArray<Fault>> => isName(name) ? decode(part) : wrong(definitionExpects.name)

const decodeProvision = (
  module: string,
  name: string,
  part: Json
): Result.Result<ProvisionContract, ReadonlyArray<Fault>> => {
  const decoded = decodeNamed(name, part, provision)
  if (name === "secret" || name === "credential") {
    const vaults = { path: [], expected: definitionExpects.vaultsName }
    return Result.fail([vaults, ...(Result.isFailure(decoded) ? decoded.failure : [])])
  }
  if (Result.isFailure(decoded)) {
    return Result.fail(decoded.failure)
  }
  const { contract, credential, retire, seat } = decoded.success
  const fields = new Map(Object.entries(contract?.fields ?? {}).sort(([one], [other]) => one < other ? -1 : 1))
  const secretFields = [...fields].filter(([, type]) => type === "secret").map(([field]) => {
    const credential = credentialName(module, name, undefined, field)
    return { field, credential, token: writeToken(credential) }
  })
  if (credential === "none" && secretFields.length > 0) {
    return Result.fail(secretFields.map(({ field }) => ({
      path: ["contract", "fields", field],
      expected: definitionExpects.secretOfNone
    })))
  }
  return Result.succeed({
    credential,
    version: contract?.version ?? "0.0.0",
    fields,
    secretFields,
    retire: retire ?? "ask",
    seat
  })
}

/** What a claim calls the credential that a secret field of its provider's contract is the value of (protocol §6.1). */
export const credentialName = (module: string, provision: string, local: string | undefined, field: string): string =>
  writeKey(module, provision, local, field)

const decodeAnswer = (
  module: string,
  kind: string,
  part: Json
): Result.Result<DefinitionAnswer, ReadonlyArray<Fault>> => {
  if (!isName(kind) || kind === "_epoch" || writeToken(kind).length > keyBytesMax) {
    return wrong(definitionExpects.kind)
  }
  const has = (name: string) => isJsonObject(part) && Object.hasOwn(part, name)
  const ofBucket = has("bucket") || has("key")
  if (ofBucket === (has("seat") || has("verb"))) {
    return wrong(definitionExpects.oneAnswer)
  }
  return ofBucket ? decodeBucketAnswer(module, part) : seatAnswer(part)
}

const decodeBucketAnswer = (module: string, part: Json): Result.Result<DefinitionAnswer, ReadonlyArray<Fault>> => {
  const decoded = bucketAnswer(part)
  if (Result.isFailure(decoded)) {
    return Result.fail(decoded.failure)
  }
  const { bucket, key } = decoded.success
  const rest = bucket.startsWith(`${module}_`) ? bucket.slice(module.length + 1) : ""
  const faults: Array<Fault> = []
  if (!/^[A-Za-z0-9_-]+$/.test(rest) || isMeshBucket(bucket)) {
    faults.push({ path: ["bucket"], expected: definitionExpects.ownBucket(module) })
  }
  if (!key.split(".").every((token) => placeholders.has(token) || readToken(token) !== undefined)) {
    faults.push({ path: ["key"], expected: definitionExpects.pattern })
  }
  return faults.length === 0 ? Result.succeed({ bucket, key }) : Result.fail(faults)
}

const placeholders: ReadonlySet<string> = new Set(["<node>", "<module>", "<kind>", "<name>"])

/** The key that a pattern gives for one need: each placeholder as the token of what it stands for (protocol §3). */
export const fillPattern = (
  pattern: string,
  tokens: { readonly node: string; readonly module: string; readonly kind: string; readonly name: string }
): string =>
  pattern.split(".").map((token) => {
    switch (token) {
      case "<node>":
        return tokens.node
      case "<module>":
        return tokens.module
      case "<kind>":
        return tokens.kind
      case "<name>":
        return tokens.name
      default:
        return token
    }
  }).join(".")
