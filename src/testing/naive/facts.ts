/**
 * The twin's facts (protocol §2, §3): every bucket read into a plain list, with what is out of shape listed.
 */
import type { Json } from "../../core/Json.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { isKeyTooLong, isModule, read, readTokens } from "./name.ts"
import {
  type Check,
  isAnswer,
  isAnswering,
  isApplied,
  isAssignment,
  isBound,
  isConfigValue,
  isDirectory,
  isHave,
  isMachine,
  isNeed,
  isObject,
  isProvided,
  isSeat
} from "./shape.ts"

export interface Provided {
  readonly credential: "consumer" | "none"
  readonly contract?: { readonly version?: string; readonly fields?: { readonly [field: string]: string } }
  readonly retire?: "ask" | "free"
  readonly seat?: string
}

export type Answering = { readonly bucket: string; readonly key: string } | {
  readonly seat: string
  readonly verb: string
}

/** A definition's parts in shape, and of what is not the provisions' names. */
export interface Definition {
  readonly module: string
  readonly provides: ReadonlyMap<string, Provided>
  readonly misshapen: ReadonlyArray<string>
  readonly couldProvideAny: boolean
  readonly answers: ReadonlyMap<string, Answering>
}

export interface Assignment {
  readonly build: string
  readonly instance?: string
  readonly pins?: { readonly [claim: string]: { readonly node?: string; readonly module?: string } }
  readonly placement?: { readonly [kind: string]: { readonly [name: string]: Json } }
  readonly draining?: boolean
}

export interface NeedValue {
  readonly provision?: string
  readonly local?: string
  readonly contract?: string
  readonly fields?: ReadonlyArray<string>
  readonly optional?: boolean
  readonly own?: boolean
  readonly default?: Json
}

export interface BoundValue {
  readonly state: string
  readonly why?: string
  readonly by: string
  readonly also?: ReadonlyArray<string>
  readonly for?: string
  readonly values?: { readonly [field: string]: Json }
}

/** A fact whose key is in shape: its names in order, and its value, or none where that is out of shape. */
export interface Fact<Value> {
  readonly key: string
  readonly names: ReadonlyArray<string>
  readonly value: Value | undefined
}

export interface Facts {
  readonly definitions: ReadonlyArray<Definition>
  readonly assignments: ReadonlyArray<Fact<Assignment>>
  readonly machines: ReadonlyArray<Fact<{ readonly site?: string; readonly lost?: boolean }>>
  readonly seats: ReadonlyArray<Fact<{ readonly node: string; readonly module: string }>>
  readonly config: ReadonlyArray<Fact<{ readonly value: Json }>>
  readonly haves: ReadonlyArray<Fact<{ readonly build: string; readonly health: string; readonly words?: string }>>
  readonly needs: ReadonlyArray<Fact<NeedValue>>
  readonly needKeysOutOfShape: ReadonlyArray<string>
  readonly applied: ReadonlyArray<Fact<{ readonly instance?: string; readonly own?: ReadonlyArray<string> }>>
  readonly collect: ReadonlyArray<Fact<Json>>
  readonly answers: ReadonlyArray<Fact<{ readonly answer: "retire" | "keep"; readonly entry: string }>>
  readonly bound: ReadonlyMap<string, ReadonlyArray<Fact<BoundValue>>>
  readonly outOfShape: ReadonlyArray<{ readonly bucket: string; readonly key: string }>
  /** A value of any bucket: nothing where it is absent or out of shape, which is then listed. */
  readonly look: (bucket: string, key: string) => Json | undefined
}

const depthOf = (value: unknown): number =>
  typeof value !== "object" || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf))

const hasEndlessNumber = (value: unknown): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).some(hasEndlessNumber)
    : typeof value === "number" && !Number.isFinite(value)

const parse = (base64: string): Json | undefined => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, "base64"))
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const own = <Value>(object: { readonly [name: string]: Value } | undefined, name: string): Value | undefined =>
  object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined

/** Reads a snapshot's facts. */
export const readFacts = (snapshot: Snapshot): Facts => {
  const reader = new Reader(snapshot)
  const read = <Value>(bucket: string, shape: string, isShape: Check): Array<Fact<Value>> =>
    reader.facts(bucket, shape, () => isShape)
  const definitions = read<Members>("mesh-controller_modules", "module", isObject)
    .flatMap(({ key, value }) => value === undefined ? [] : [reader.definition(key, value)])
  const bound = new Map<string, ReadonlyArray<Fact<BoundValue>>>()
  for (const bucket of new Set([...Object.keys(snapshot.buckets), ...Object.keys(snapshot.raw ?? {})])) {
    const module = bucket.slice(0, -"_bound".length)
    if (bucket.endsWith("_bound") && isModule(module)) {
      bound.set(module, read(bucket, "name module name name?", isBound))
    }
  }
  return {
    definitions,
    assignments: read("mesh-controller_assignments", "name module", isAssignment),
    machines: read("mesh-controller_machines", "name", isMachine),
    seats: read("mesh-controller_seats", "name", isSeat),
    config: read("mesh-config_values", "name module name", isConfigValue),
    haves: read("mesh-host_haves", "name module", isHave),
    needs: reader.facts(
      "mesh-provisioner_needs",
      "name module name name",
      ([, , kind, name]) => isNeed(kind ?? "", name ?? "")
    ),
    needKeysOutOfShape: reader.keys("mesh-provisioner_needs").filter((key) =>
      namesOf(key, "name module name name") === undefined
    ),
    applied: read("mesh-provisioner_applied", "name module", isApplied),
    collect: read("mesh-provisioner_collect", "name name module", () => true),
    answers: read("mesh-provisioner_answers", "name module name module name name?", isAnswer),
    bound,
    outOfShape: reader.outOfShape,
    look: (bucket, key) => reader.look(bucket, key)
  }
}

type Members = { readonly [name: string]: unknown }

/** Reads the buckets of a snapshot, and lists what is out of shape. */
class Reader {
  readonly outOfShape: Array<{ bucket: string; key: string }> = []
  readonly #snapshot: Snapshot

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot
  }

  keys(bucket: string): ReadonlyArray<string> {
    const { buckets, raw } = this.#snapshot
    return [...new Set([...Object.keys(own(buckets, bucket) ?? {}), ...Object.keys(own(raw, bucket) ?? {})])]
  }

  /** `shape` names what each token of the key is; the last one may be left out where it ends in `?`. */
  facts<Value>(
    bucket: string,
    shape: string,
    isShape: (names: ReadonlyArray<string>) => Check
  ): Array<Fact<Value>> {
    const facts: Array<Fact<Value>> = []
    for (const key of this.keys(bucket)) {
      const names = namesOf(key, shape)
      if (names === undefined) {
        this.#list(bucket, key)
        continue
      }
      const value = this.#value(bucket, key)
      if (value !== undefined && isShape(names)(value)) {
        facts.push({ key, names, value: value as Value })
      } else {
        this.#list(bucket, key)
        facts.push({ key, names, value: undefined })
      }
    }
    return facts
  }

  definition(module: string, value: Members): Definition {
    const provides = new Map<string, Provided>()
    const misshapen: Array<string> = []
    const answers = new Map<string, Answering>()
    for (const [name, part] of this.#parts(module, value, "provides")) {
      if (isProvided(name)(part)) {
        provides.set(name, part as Provided)
      } else {
        misshapen.push(name)
        this.#list("mesh-controller_modules", module)
      }
    }
    for (const [kind, part] of this.#parts(module, value, "answers")) {
      if (isAnswering(module, kind)(part)) {
        answers.set(kind, part as Answering)
      } else {
        this.#list("mesh-controller_modules", module)
      }
    }
    for (const [name, part] of this.#parts(module, value, "directories")) {
      if (!isDirectory(name)(part)) {
        this.#list("mesh-controller_modules", module)
      }
    }
    const couldProvideAny = Object.hasOwn(value, "provides") && !isObject(value["provides"])
    return { module, provides, misshapen, couldProvideAny, answers }
  }

  /** A value of any bucket: nothing where it is absent or out of shape, which is then listed. */
  look(bucket: string, key: string): Json | undefined {
    const value = isKeyTooLong(key) ? undefined : this.#value(bucket, key)
    if (value === undefined && this.keys(bucket).includes(key)) {
      this.#list(bucket, key)
    }
    return value
  }

  #parts(module: string, value: Members, part: string): ReadonlyArray<[string, unknown]> {
    const whole = Object.hasOwn(value, part) ? value[part] : {}
    if (!isObject(whole)) {
      this.#list("mesh-controller_modules", module)
    }
    return isObject(whole) ? Object.entries(whole) : []
  }

  #value(bucket: string, key: string): Json | undefined {
    const base64 = own(own(this.#snapshot.raw, bucket), key)
    const value = base64 === undefined ? own(own(this.#snapshot.buckets, bucket), key) : parse(base64)
    return depthOf(value) > 64 || hasEndlessNumber(value) ? undefined : value
  }

  #list(bucket: string, key: string): void {
    if (!this.outOfShape.some((one) => one.bucket === bucket && one.key === key)) {
      this.outOfShape.push({ bucket, key })
    }
  }
}

/** The names of a key, or nothing where it is out of its bucket's shape. */
const namesOf = (key: string, shape: string): ReadonlyArray<string> | undefined => {
  const parts = shape.split(" ")
  const least = parts.filter((part) => !part.endsWith("?")).length
  const names = readTokens(key)
  return names !== undefined && !isKeyTooLong(key) && names.length >= least && names.length <= parts.length &&
      names.every((name, at) => parts[at] !== "module" || isModule(name))
    ? names
    : undefined
}

/** Whether a key's first two tokens read as this module on this node. */
export const speaksOf = (key: string, node: string, module: string): boolean => {
  const [first, second] = key.split(".")
  return first !== undefined && second !== undefined && read(first) === node && read(second) === module
}
