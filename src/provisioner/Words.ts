/**
 * What is logged of strangers' words: names alone, cut to a bound, and never a character that steers a terminal.
 */
import type { Write } from "../core/Diff.ts"
import { isJsonObject, type Json, member } from "../core/Json.ts"

/** The most characters of a name that are shown. */
export const shownCharactersMax = 256

/**
 * A bucket or key as it is shown: as it is where it is written as keys are (protocol §2), else quoted and escaped.
 *
 * @example
 * ```ts
 * shown("n1.shop") // "n1.shop"
 * shown("n1.\u001b[2J") // "\"n1.\\u001b[2J\""
 * ```
 */
export const shown = (name: string): string => {
  const short = name.length <= shownCharactersMax ? name : `${name.slice(0, shownCharactersMax)}…`
  return written.test(name) ? short : escaped(JSON.stringify(short))
}

/** A sentence of the bus, which quotes a key: what of it could steer a terminal is escaped. */
export const escaped = (text: string): string =>
  text.replace(/[^\x20-\x7e…]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

const written = /^[A-Za-z0-9_\-/=.]+$/

/** What a log line of a write says beside its words: the bucket, the key, and of what is put its state and reason. */
export interface WriteNotes {
  readonly op: Write["op"]
  readonly bucket: string
  readonly key: string
  readonly state?: string
  readonly reason?: string
}

/** The notes of a write: never its value, never its why. */
export const notesOf = (write: Write): WriteNotes => ({
  op: write.op,
  bucket: shown(write.bucket),
  key: shown(write.key),
  ...(write.op === "put" ? codesOf(write.value) : {})
})

/** The line of a write: `put mesh-provisioner_provisions n1.shop.bound.database asked not-bound`. */
export const lineOf = ({ bucket, key, op, reason, state }: WriteNotes): string =>
  `${op} ${bucket} ${key}${state === undefined ? "" : ` ${state}`}${reason === undefined ? "" : ` ${reason}`}`

/** What is said of a key that another keeps writing. */
export const overtakenWords = ({ bucket, key }: Write): string =>
  `Key ${shown(key)} of bucket ${shown(bucket)} is written by another again and again. ` +
  "Only the provisioner may write there (protocol §9): find the other, or run one provisioner alone."

// An operator's answer is said by `answer`, and has no state.
const codesOf = (value: Json): Pick<WriteNotes, "state" | "reason"> => {
  const state = codeOf(value, "state") ?? codeOf(value, "answer")
  const reason = codeOf(value, "reason")
  return { ...(state === undefined ? {} : { state }), ...(reason === undefined ? {} : { reason }) }
}

const codeOf = (value: Json, name: string): string | undefined => {
  const code = isJsonObject(value) ? member(value, name) : undefined
  return typeof code === "string" ? code : undefined
}
