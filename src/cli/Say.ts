/**
 * What the commands say alike: counts, states, headings.
 */
import type { Conflict, Decisions, OutOfShape } from "../core/Decision.ts"
import { type Line, type Piece, type Style, styled } from "./Print.ts"

/** A count with its noun: `1 kind`, `1,200 kinds`. */
export const countText = (count: number, one: string, many: string): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`

/** Groups of lines with an empty line between them; a group without lines is none. */
export const paragraphs = function*(...groups: ReadonlyArray<Iterable<Line>>): Iterable<Line> {
  let isFirst = true
  for (const group of groups) {
    let isBegun = isFirst
    for (const line of group) {
      yield* isBegun ? [] : [[]]
      yield line
      isBegun = true
      isFirst = false
    }
  }
}

/** Lines under a heading; where there are none, nothing. */
export const headed = function*(title: string, lines: Iterable<Line>): Iterable<Line> {
  let isBegun = false
  for (const line of lines) {
    yield* isBegun ? [] : [[styled("bold", title)]]
    yield line
    isBegun = true
  }
}

/** Facts out of shape, a line each. */
export const outOfShapeLines = (facts: ReadonlyArray<OutOfShape>): ReadonlyArray<Line> =>
  facts.map(({ bucket, key, why }) => [styled("red", bucket), "  ", key, "  ", why])

/** Conflicts of the registry, a line each. */
export const conflictLines = (conflicts: ReadonlyArray<Conflict>): ReadonlyArray<Line> =>
  conflicts.map(({ kind, module, why }) => [styled("red", kind), "  ", module, "  ", why])

const styleOf = new Map<string, Style>([
  ...["provided", "ready", "wanted", "kept"].map((state) => [state, "green"] as const),
  ...["asked", "waiting", "held", "degraded", "unneeded", "retire"].map((state) => [state, "yellow"] as const),
  ...["failed", "refused"].map((state) => [state, "red"] as const)
])

/** A state as a word in its colour. */
export const stateWord = (state: string, width = 0): Piece => styled(styleOf.get(state) ?? "cyan", state.padEnd(width))

/** How much there is, and how much in each state. */
export const stateCounts = ({ asks, plans, provisions, registry }: Decisions): ReadonlyArray<Line> => [
  countStates("needs", provisions.values(), ["provided", "asked", "failed", "refused"]),
  countStates("plans", plans.values(), ["ready", "degraded", "waiting", "failed", "refused"]),
  countStates("asks", asks.values(), ["wanted", "held", "unneeded", "kept", "retire"]),
  [styled("bold", "registry  "), countText(registry.size, "kind", "kinds")]
]

const countStates = (
  name: string,
  values: Iterable<{ readonly state: string }>,
  states: ReadonlyArray<string>
): Line => {
  const counts = new Map<string, number>()
  let all = 0
  for (const { state } of values) {
    counts.set(state, (counts.get(state) ?? 0) + 1)
    all += 1
  }
  const parts = states.filter((state) => counts.has(state)).flatMap((state, index): ReadonlyArray<Piece> => [
    index === 0 ? ": " : ", ",
    `${counts.get(state)?.toLocaleString("en-US")} `,
    stateWord(state)
  ])
  return [styled("bold", name.padEnd(10)), all.toLocaleString("en-US"), ...parts]
}
