/**
 * What the commands say alike: counts, states, headings.
 */
import type { Decisions } from "../core/Decision.ts"
import { type Line, type Piece, type Style, styled } from "./Print.ts"

/** A count with its noun: `1 kind`, `1,200 kinds`. */
export const countText = (count: number, one: string, many: string): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`

/** A heading with an empty line before it. */
export const heading = (text: string): ReadonlyArray<Line> => [[], [styled("bold", text)]]

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
