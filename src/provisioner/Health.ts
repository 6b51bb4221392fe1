/**
 * How the provisioner stands (protocol §9): as data, and as a sentence that says what to do. Nothing is written unless it is
 * `live`.
 */
import { isMeshBucket, moduleOfBoundBucket } from "../core/BucketName.ts"
import type { BusError } from "../ports/BusError.ts"
import type { PutOffHow, Unwritten } from "./PutOff.ts"
import { shown } from "./Words.ts"

/** Why a bucket cannot be read or written now. */
export type LossHow =
  | "deleted"
  | "missing"
  | "ended"
  | "no-bucket"
  | "failed"
  | "refused"
  | "full"
  | "fenced"
  | "unreachable"

/** A bucket that was there and cannot be read or written now. Without a bucket, it is the list of the buckets itself. */
export interface Loss {
  readonly bucket?: string
  readonly how: LossHow
  /** The number of the error by which the bus answered, of what `failed`. */
  readonly code?: number
}

/** A bucket whose start is being read, and how many keys of it were read so far. */
export interface Progress {
  readonly bucket: string
  readonly keys: number
}

/**
 * How the provisioner stands:
 * - `loading`: some bucket has not been read to its end yet (`reading`), or what follows is not all written yet;
 * - `missing`: buckets that protocol §3 to §7 name are not there (`missing`);
 * - `lost`: buckets that were there cannot be read or written (`lost`), or the bus does not answer;
 * - `live`: all is read, and what is decided is written.
 */
export interface Health {
  readonly state: "loading" | "missing" | "lost" | "live"
  readonly missing: ReadonlyArray<string>
  readonly lost: ReadonlyArray<Loss>
  readonly reading: ReadonlyArray<Progress>
  /** How many buckets are read to their end, of how many that are there. */
  readonly read: number
  readonly known: number
  /** What is wanted and cannot be written, by bucket and why: nothing else waits for it. */
  readonly unwritten: ReadonlyArray<Unwritten>
  /** What is called like a provider's bucket and is none, of modules that no definition is of: nothing waits for it. */
  readonly passedOver: ReadonlyArray<string>
  /** For a person: what is so, and what to do. */
  readonly sentence: string
}

/** What it has read and what it lacks; nothing is unwritten or passed over where that is left out. */
type HealthParts =
  & Omit<Health, "state" | "sentence" | "unwritten" | "passedOver">
  & Partial<Pick<Health, "unwritten" | "passedOver">>

/** How the provisioner stands, by what it has read and what it lacks. */
export const healthOf = ({ passedOver = [], unwritten = [], ...read }: HealthParts): Health => {
  const parts = { ...read, unwritten, passedOver }
  const state = parts.lost.length > 0
    ? "lost"
    : parts.missing.length > 0
    ? "missing"
    : parts.read < parts.known || parts.known === 0
    ? "loading"
    : "live"
  return { state, ...parts, sentence: sentences[state](parts) }
}

/** All is read, and what follows from it is being written for the first time. */
export const firstTurn = (health: Health): Health => ({
  ...health,
  state: "loading",
  sentence: "Every bucket is read, and what follows is being decided and written."
})

/** Why a bucket is lost, by the error of the bus; a conflict or a size never makes it so. */
export const lossHow = ({ reason }: BusError): LossHow => {
  switch (reason._tag) {
    case "Lost":
      return reason.how
    case "Refused":
      return "refused"
    case "Failed":
      return "failed"
    case "Full":
      return "full"
    case "Fenced":
      return "fenced"
    default:
      return "unreachable"
  }
}

/** What a health is in trouble with, one name for each thing, so that a trouble that lasts is said once. */
export const troublesOf = ({ lost, missing }: Health): ReadonlySet<string> =>
  new Set([
    ...missing.map((bucket) => `missing ${bucket}`),
    ...lost.map((loss) => loss.how === "unreachable" ? silence(silentAlone(lost)) : `lost ${loss.bucket ?? ""}`)
  ])

/** What a trouble is called where the bus, or one bucket alone, does not answer. */
export const silence = (bucket?: string): string => bucket === undefined ? "unreachable" : `unreachable ${bucket}`

/** The one bucket that does not answer, where there is one: of several, it is the bus that does not. */
const silentAlone = (lost: ReadonlyArray<Loss>): string | undefined => {
  const [silent, ...others] = lost.filter(({ how }) => how === "unreachable")
  return others.length === 0 ? silent?.bucket : undefined
}

/** What is said of what is passed over. */
export const passedOverWords = (bucket: string): string =>
  `${shown(bucket)} is called like a provider's bucket and is none, and there is no such module: it is passed over. ` +
  "Take it away, or call it otherwise."

type Parts = Omit<Health, "state" | "sentence">

const sentences: { readonly [State in Health["state"]]: (parts: Parts) => string } = {
  live: ({ unwritten }) =>
    unwritten.length === 0
      ? "Every bucket is read, and what is decided is written."
      : "Every bucket is read, and what is decided is written, " +
        `but for ${list(unwritten.map(sayUnwritten), "", "; ", "")}. The log names keys, and says what to do.`,
  loading: ({ known, read, reading }) =>
    known === 0
      ? "Reading which buckets there are. Nothing is written before every one is read to its end."
      : `Reading: ${read} of ${known} buckets are read to their end` +
        `${list(reading.map(({ bucket, keys }) => `${shown(bucket)}: ${keys} keys so far`), " (", ", ", ")")}. ` +
        "Nothing is written before all are.",
  missing: ({ missing }) =>
    `Nothing is written: there is no bucket ${
      list(missing.map(shown), "", ", ", "")
    }. Make them, by mesh-provisioner setup.`,
  lost: ({ lost }) => {
    const alone = silentAlone(lost)
    const named = lost.filter(({ bucket, how }) => how !== "unreachable" || (bucket !== undefined && bucket === alone))
    return named.length === 0
      ? "Nothing is written: the bus does not answer. It is asked again until it does."
      : `Nothing is written: ${list(named.map(sayLoss), "", "; ", "")}.`
  }
}

const sayUnwritten = ({ bucket, count, how }: Unwritten): string =>
  `${count} ${count === 1 ? "key" : "keys"} of bucket ${shown(bucket)} ${count === 1 ? "that is" : "that are"} ${
    unwrittenWords[how]
  }`

const unwrittenWords: { readonly [How in PutOffHow]: string } = {
  refused: "refused",
  "too-large": "too large for the bus",
  full: "more than it holds",
  overtaken: "written by another again and again"
}

const sayLoss = ({ bucket, code, how }: Loss): string => {
  if (bucket === undefined) {
    return how === "failed"
      ? sayFailed("which buckets there are", code)
      : how === "refused"
      ? "this account may not read which buckets there are. Grant it"
      : "the reading of which buckets there are has ended. It is read again"
  }
  const name = `bucket ${shown(bucket)}`
  switch (how) {
    case "refused":
      return `this account may not use ${name}. Grant it`
    case "ended":
      return `the reading of ${name} has ended. It is read again`
    case "full":
      return `${name}, or the bus that holds it, is full. Make room there, or let it hold more; it is tried again`
    case "fenced":
      return `${name} may be another's to write now. It is looked who holds the seat`
    case "no-bucket":
      return `${name} is none: what is called so does not take and keep a bucket's keys. ${mend(bucket)}`
    case "failed":
      return sayFailed(name, code)
    case "unreachable":
      return `${name} does not answer. It is asked again`
    default:
      return `${name} is lost: it was there and is not any more. ${mend(bucket)}`
  }
}

const sayFailed = (what: string, code: number | undefined): string =>
  `the bus answers by ${code === undefined ? "an error of its own" : `its error ${code}`} when ${what} is read. ` +
  "Look what that says of it, and in the log of the bus; it is asked again"

const mend = (bucket: string): string => {
  const module = moduleOfBoundBucket(bucket)
  if (module !== undefined) {
    return `Let it be made again, or take away the definition of module ${module}`
  }
  return isMeshBucket(bucket)
    ? "Make it again"
    : "Let it be made again, or take it out of the `answers` of the definition that names it"
}

/** The most names that a sentence lists. */
const namesListedMax = 20

const list = (names: ReadonlyArray<string>, before: string, between: string, after: string): string => {
  if (names.length === 0) {
    return ""
  }
  const more = names.length > namesListedMax ? `${between}and ${names.length - namesListedMax} more` : ""
  return `${before}${names.slice(0, namesListedMax).join(between)}${more}${after}`
}

/** How it stands before anything was heard. */
export const healthAtFirst: Health = healthOf({ missing: [], lost: [], reading: [], read: 0, known: 0 })
