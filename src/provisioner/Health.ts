/**
 * How the provisioner stands (protocol §9): as data, and as a sentence that says what to do. Nothing is written unless it is
 * `live`.
 */
import { isMeshBucket, moduleOfBoundBucket } from "../core/BucketName.ts"
import type { BusError } from "../ports/BusError.ts"
import type { PutOffHow, Unwritten } from "./PutOff.ts"
import { shown } from "./Words.ts"

/** Why a bucket cannot be read or written now. */
export type LossHow = "deleted" | "missing" | "ended" | "refused" | "full" | "fenced" | "unreachable"

/** A bucket that was there and cannot be read or written now. Without a bucket, it is the list of the buckets itself. */
export interface Loss {
  readonly bucket?: string
  readonly how: LossHow
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
  /** For a person: what is so, and what to do. */
  readonly sentence: string
}

/** What it has read and what it lacks; nothing is unwritten where that is left out. */
type HealthParts = Omit<Health, "state" | "sentence" | "unwritten"> & Partial<Pick<Health, "unwritten">>

/** How the provisioner stands, by what it has read and what it lacks. */
export const healthOf = ({ unwritten = [], ...read }: HealthParts): Health => {
  const parts = { ...read, unwritten }
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
    ...lost.map(({ bucket, how }) => how === "unreachable" ? "unreachable" : `lost ${bucket ?? ""}`)
  ])

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
  lost: ({ lost }) =>
    lost.every(({ how }) => how === "unreachable")
      ? "Nothing is written: the bus does not answer. It is asked again until it does."
      : `Nothing is written: ${list(lost.filter(({ how }) => how !== "unreachable").map(sayLoss), "", "; ", "")}.`
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

const sayLoss = ({ bucket, how }: Loss): string => {
  if (bucket === undefined) {
    return how === "refused"
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
    case "unreachable":
      return `${name} does not answer. It is asked again`
    default:
      return `${name} is lost: it was there and is not any more. ${mend(bucket)}`
  }
}

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
