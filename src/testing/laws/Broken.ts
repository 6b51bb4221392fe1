/**
 * How a law says that it is broken: in sentences, so that a counterexample reads as a story.
 */
import { isDeepStrictEqual } from "node:util"

/** That something is not as it is to be, in a sentence. */
export class Broken extends Error {
  override readonly name: string = "Broken"
}

/** A broken law: the law, the case that breaks it, and what is seen of it. */
export class LawBroken extends Error {
  override readonly name: string = "LawBroken"

  constructor(
    { paragraph, sentence }: { readonly paragraph: string; readonly sentence: string },
    told: ReadonlyArray<string>,
    cause: unknown
  ) {
    const law = `Not so: ${sentence} (protocol, ${paragraph}).`
    const story = (told.length === 0 ? ["nothing is on the bus."] : told).map((line) => `  ${line}`).join("\n")
    const seen = cause instanceof Broken ? cause.message : `It threw: ${String(cause)}`
    super(`${law}\n\n${story}\n\n${seen}`, cause instanceof Broken ? {} : { cause })
  }
}

/**
 * Breaks the law that is tried where something is not so.
 *
 * @param isSo what is to be so.
 * @param seen what is seen instead, in sentences.
 * @throws a `Broken`, which the law then tells beside its mesh.
 *
 * @example
 * ```ts
 * import { must } from "mesh-provisioner/testing"
 *
 * must(1 + 1 === 2, "One and one are not two.")
 * ```
 */
export const must = (isSo: boolean, seen: string | (() => string)): void => {
  if (!isSo) {
    throw new Broken(typeof seen === "string" ? seen : seen())
  }
}

/** Breaks the law where two are not the same; says where they differ first. */
export const same = (found: unknown, wanted: unknown, what: string): void => {
  if (!isDeepStrictEqual(found, wanted)) {
    const { path, ...values } = differenceOf(found, wanted)
    throw new Broken(`${[what, ...path].join(" ")} is ${shown(values.found)}, and is to be ${shown(values.wanted)}.`)
  }
}

interface Difference {
  readonly path: ReadonlyArray<string>
  readonly found: unknown
  readonly wanted: unknown
}

const differenceOf = (found: unknown, wanted: unknown): Difference => {
  const [one, other] = [membersOf(found), membersOf(wanted)]
  if (one !== undefined && other !== undefined) {
    for (const name of new Set([...one.keys(), ...other.keys()])) {
      if (!isDeepStrictEqual(one.get(name), other.get(name))) {
        const { path, ...values } = differenceOf(one.get(name), other.get(name))
        return { path: [name, ...path], ...values }
      }
    }
  }
  return { path: [], found, wanted }
}

const membersOf = (value: unknown): ReadonlyMap<string, unknown> | undefined =>
  value instanceof Map
    ? new Map(Array.from(value, ([name, member]) => [String(name), member]))
    : typeof value === "object" && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : undefined

const shownCharactersMax = 300

/** A value as it is written in code, as much of it as a person reads; what is not there is `nothing`. */
export const shown = (value: unknown): string => {
  const text = written(value)
  return text.length <= shownCharactersMax ? text : `${text.slice(0, shownCharactersMax)}…`
}

const written = (value: unknown): string => {
  const members = value instanceof Set ? undefined : membersOf(value)
  if (members !== undefined) {
    const said = Array.from(members, ([name, member]) => `${nameOf(name)}: ${written(member)}`)
    return said.length === 0 ? "{}" : `{ ${said.join(", ")} }`
  }
  return value instanceof Set || Array.isArray(value)
    ? `[${Array.from(value, written).join(", ")}]`
    : value === undefined
    ? "nothing"
    : JSON.stringify(value)
}

const nameOf = (name: string): string => /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
