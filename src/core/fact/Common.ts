/**
 * The schemas that several facts share (protocol §2 and §3).
 */
import * as Schema from "effect/Schema"
import SemVer from "semver/classes/semver.js"
import { isDigest } from "../Digest.ts"
import { isJsonObject, type Json, type JsonObject } from "../Json.ts"
import { rangeCharactersMax } from "../Limits.ts"
import { isModuleName, isName, readToken } from "../Name.ts"
import { readRange } from "../Version.ts"

const text = (holds: (value: string) => boolean, expected: string) =>
  Schema.String.pipe(Schema.check(Schema.makeFilter(holds, { expected })))

/** A name (protocol §2). */
export const Name = text(isName, "a name: text that is not empty and has no lone surrogate")

/** A module's name (protocol §2). */
export const ModuleName = text(isModuleName, "a module's name: 1 to 200 of A-Z a-z 0-9 _ -")

/** A digest (protocol §3). */
export const Digest = text(isDigest, "a digest: 32 lower-case hex digits")

/** A version of semantic versioning, as its specification writes it (protocol §3). */
export const Version = text((value) => {
  try {
    const version = new SemVer(value)
    return value === version.version + (version.build.length > 0 ? `+${version.build.join(".")}` : "")
  } catch {
    return false
  }
}, "a version of semantic versioning, like 1.4.0")

/** A range of versions, as npm's `semver` reads it (protocol §3). */
export const Range = text(
  (value) => value.length <= rangeCharactersMax && readRange(value) !== undefined,
  `a range of versions as npm's semver reads it, like ^1.4.0, of at most ${rangeCharactersMax} characters`
)

const isProvisionKey = (value: string): boolean => {
  const tokens = value.split(".", 3)
  return tokens.length <= 2 && tokens.every((token) => readToken(token) !== undefined)
}

const provisionKey = "<provision> or <provision>.<local>, written with tokens"

/** A provision, or a provision and a local name, written with tokens: an item of `own` (protocol §3). */
export const ProvisionKey = text(isProvisionKey, provisionKey)

/** An object whose every member has a name of the given sort: a `Schema.Record` leaves others out without a word. */
const recordOf = <S extends Schema.Constraint>(isKey: (name: string) => boolean, expected: string, value: S) =>
  Schema.Record(Schema.String, value).pipe(Schema.check(Schema.makeFilter((record) => {
    const wrong = Object.keys(record).find((name) => !isKey(name))
    return wrong === undefined || { path: [wrong], issue: `Expected ${expected} as its name` }
  })))

/** An object whose names are names of protocol §2. */
export const recordByName = <S extends Schema.Constraint>(value: S) => recordOf(isName, "a name", value)

/** An object whose names are keys of pins (protocol §3). */
export const recordByProvision = <S extends Schema.Constraint>(value: S) =>
  recordOf(isProvisionKey, provisionKey, value)

// A check of anything, and not a declaration: a schema with a declaration in it is never compiled.
/** Any JSON; that it is JSON was seen when it was read. */
export const AnyJson = Schema.Unknown.pipe(
  Schema.refine((value): value is Json => value !== undefined, { expected: "JSON" })
)

/** Any JSON object. */
export const AnyObject = Schema.Unknown.pipe(
  Schema.refine((value): value is JsonObject => isJsonObject(value), { expected: "an object" })
)
