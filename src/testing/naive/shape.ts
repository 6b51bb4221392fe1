/**
 * The twin's shapes of facts (protocol §3): a predicate a sentence.
 */
import semver from "semver"
import { isKeyTooLong, isModule, isName, readTokens, write } from "./name.ts"

export type Check = (value: unknown) => boolean

type Members = { readonly [name: string]: unknown }

export const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const has = (object: Members, name: string, check: Check): boolean => Object.hasOwn(object, name) && check(object[name])

const may = (object: Members, name: string, check: Check): boolean =>
  !Object.hasOwn(object, name) || check(object[name])

const isString: Check = (value) => typeof value === "string"
const isBoolean: Check = (value) => typeof value === "boolean"
const isAny: Check = () => true
const isDigest: Check = (value) => typeof value === "string" && /^[0-9a-f]{32}$/.test(value)
const oneOf = (...words: ReadonlyArray<string>): Check => (value) => words.some((word) => word === value)
const listOf = (check: Check): Check => (value) => Array.isArray(value) && value.every(check)
const mapOf = (name: Check, member: Check): Check => (value) =>
  isObject(value) && Object.entries(value).every(([key, inner]) => name(key) && member(inner))

/** `<provision>` or `<provision>.<local>`, in tokens. */
const isClaimName: Check = (value) => {
  const names = typeof value === "string" ? readTokens(value) : undefined
  return names !== undefined && names.length <= 2
}

/** Semantic versioning's own text: the library reads a leading `v` and spaces too. */
const isVersion: Check = (value) =>
  typeof value === "string" && /^[0-9A-Za-z.+-]+$/.test(value) && /^[0-9]/.test(value) && semver.valid(value) !== null

/** The project bounds a range, so that reading one stays cheap. */
const isRange: Check = (value) =>
  typeof value === "string" && value.length <= 1_024 && semver.validRange(value) !== null

const isPin: Check = (value) => isObject(value) && may(value, "node", isName) && may(value, "module", isModule)

const isPlacement: Check = (value) =>
  isObject(value) && ["dir", "access", "port", "seat", "machine"].every((kind) => may(value, kind, isObject))

export const isAssignment: Check = (value) =>
  isObject(value) && has(value, "build", isName) && may(value, "instance", isName) &&
  may(value, "pins", mapOf(isClaimName, isPin)) && may(value, "placement", isPlacement) &&
  may(value, "draining", isBoolean)

export const isMachine: Check = (value) =>
  isObject(value) && may(value, "site", isName) && may(value, "seal", isString) && may(value, "lost", isBoolean)

export const isSeat: Check = (value) => isObject(value) && has(value, "node", isName) && has(value, "module", isModule)

export const isConfigValue: Check = (value) => isObject(value) && has(value, "value", isAny)

export const isHave: Check = (value) =>
  isObject(value) && has(value, "build", isName) && may(value, "words", isString) &&
  has(value, "health", oneOf("healthy", "starting", "unhealthy", "stopped", "failed"))

export const isNeed = (kind: string, name: string): Check => (value) => {
  if (!isObject(value) || !may(value, "optional", isBoolean)) {
    return false
  }
  if (kind !== "bound") {
    return true
  }
  const provision = Object.hasOwn(value, "provision") ? value["provision"] : name
  return may(value, "provision", isName) && may(value, "local", isName) && may(value, "contract", isRange) &&
    may(value, "fields", listOf(isName)) && may(value, "own", isBoolean) &&
    provision !== "secret" && provision !== "credential"
}

export const isBound: Check = (value) =>
  isObject(value) && has(value, "state", isName) && may(value, "why", isString) && has(value, "by", isName) &&
  may(value, "also", listOf(isName)) && may(value, "for", isName) && may(value, "values", isObject)

export const isApplied: Check = (value) =>
  isObject(value) && has(value, "plan", isDigest) && may(value, "build", isName) && may(value, "instance", isName) &&
  may(value, "own", listOf(isClaimName))

export const isAnswer: Check = (value) =>
  isObject(value) && has(value, "answer", oneOf("retire", "keep")) && has(value, "entry", isDigest) &&
  has(value, "by", isString) && may(value, "words", isString)

const isContract: Check = (value) =>
  isObject(value) && may(value, "version", isVersion) &&
  may(value, "fields", mapOf(isName, oneOf("string", "integer", "boolean", "secret")))

const hasSecret = (provided: Members): boolean => {
  const contract = provided["contract"]
  const fields = isObject(contract) ? contract["fields"] : undefined
  return isObject(fields) && Object.values(fields).includes("secret")
}

export const isProvided = (name: string): Check => (value) =>
  isName(name) && name !== "secret" && name !== "credential" && isObject(value) &&
  has(value, "credential", oneOf("consumer", "none")) && may(value, "contract", isContract) &&
  may(value, "retire", oneOf("ask", "free")) && may(value, "seat", isName) &&
  !(value["credential"] === "none" && hasSecret(value))

const pageBuckets = [
  "mesh-controller_modules",
  "mesh-controller_assignments",
  "mesh-controller_machines",
  "mesh-controller_seats",
  "mesh-config_values",
  "mesh-host_haves",
  "mesh-provisioner_needs",
  "mesh-provisioner_applied",
  "mesh-provisioner_collect",
  "mesh-provisioner_answers",
  "mesh-provisioner_registry",
  "mesh-provisioner_provisions",
  "mesh-provisioner_asks",
  "mesh-provisioner_plans"
]

const isOwnBucket = (module: string): Check => (value) =>
  typeof value === "string" && /^[A-Za-z0-9_-]+$/.test(value) && value.startsWith(module + "_") &&
  value.length > module.length + 1 && !value.endsWith("_bound") && !pageBuckets.includes(value)

const isPattern: Check = (value) =>
  typeof value === "string" &&
  value.split(".").every((part) =>
    ["<node>", "<module>", "<kind>", "<name>"].includes(part) || readTokens(part) !== undefined
  )

export const isAnswering = (module: string, kind: string): Check => (value) => {
  if (!isName(kind) || isKeyTooLong(write(kind)) || kind === "_epoch" || !isObject(value)) {
    return false
  }
  const named = ["bucket", "key", "seat", "verb"].filter((part) => Object.hasOwn(value, part)).join()
  return (named === "bucket,key" && has(value, "bucket", isOwnBucket(module)) && has(value, "key", isPattern)) ||
    (named === "seat,verb" && has(value, "seat", isName) && has(value, "verb", isName))
}

export const isDirectory = (name: string): Check => (value) =>
  isName(name) && isObject(value) && has(value, "unknown", oneOf("program", "mesh", "leave"))
