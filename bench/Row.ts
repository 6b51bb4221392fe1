/**
 * What a benchmark says: rows. Each is one figure with its spread, the limit that was measured beside it in the same run, and
 * what it has to reach.
 */
import { quantile } from "./Quantile.ts"

/** What figures are in. */
export type Unit = "µs" | "ms" | "s" | "B" | "MB" | "needs/s" | "facts/s" | "writes/s" | "×" | ""

/** A measurement that was taken several times: its median, and how far the times are from each other. */
export interface Figure {
  readonly median: number
  readonly least: number
  readonly largest: number
  /** How many times it was taken. */
  readonly runs: number
  readonly unit: Unit
}

/** The figure of a measurement's rounds. */
export const figure = (rounds: ReadonlyArray<number>, unit: Unit): Figure => ({
  median: quantile(rounds, 0.5),
  least: Math.min(...rounds),
  largest: Math.max(...rounds),
  runs: rounds.length,
  unit
})

/** What is to be reached: by the figure itself, by its ratio to the limit, or by what it is over the limit. */
export type Target =
  & { readonly of: "figure" | "ratio" | "excess" }
  & ({ readonly atMost: number } | { readonly atLeast: number })

/** What bounds a figure from below, or above: something plainer, measured in the same run. */
export interface Limit {
  /** What was measured, in a few words. */
  readonly what: string
  readonly figure: Figure
}

/** What one row is made of. */
export interface Measured {
  /** The benchmark's name, a dot and its own, such as `change.need`: what `--only` takes. */
  readonly name: string
  /** What was measured, in a few words. */
  readonly what: string
  /** How large the mesh was. */
  readonly needs?: number
  readonly unit: Unit
  /** What each round came to. */
  readonly rounds: ReadonlyArray<number>
  /** The same of the limit: round by round, where there are as many. */
  readonly limit?: { readonly what: string; readonly unit?: Unit; readonly rounds: ReadonlyArray<number> }
  /** What is to be reached: each part of it, and none where the row only stands beside others. */
  readonly targets?: ReadonlyArray<Target>
  /** What else is worth saying, such as what was counted. */
  readonly notes?: ReadonlyArray<string>
}

/** A row, as it is printed and as `--json` has it. */
export interface Row {
  readonly name: string
  readonly what: string
  readonly needs?: number
  readonly figure: Figure
  readonly limit?: Limit
  /** The figure ÷ the limit: of each round, where both have as many, else of the medians. */
  readonly ratio?: Figure
  /** The figure - the limit, in the same way, where that is what a target is of. */
  readonly excess?: Figure
  readonly targets: ReadonlyArray<Target>
  /** Whether it reaches what it has to, by its medians; left out where there is nothing to reach. */
  readonly holds?: boolean
  readonly notes: ReadonlyArray<string>
}

/** The row of what was measured. */
export const row = ({ limit, name, needs, notes = [], rounds, targets = [], unit, what }: Measured): Row => {
  const found = figure(rounds, unit)
  const beside = limit && {
    limit: { what: limit.what, figure: figure(limit.rounds, limit.unit ?? unit) },
    ratio: figure(each(rounds, limit.rounds, (ours, bound) => ours / bound), "×"),
    ...(targets.some((target) => target.of === "excess")
      ? { excess: figure(each(rounds, limit.rounds, (ours, bound) => ours - bound), unit) }
      : {})
  }
  const figures = { figure: found, ...beside }
  return {
    name,
    what,
    ...(needs === undefined ? {} : { needs }),
    ...figures,
    targets,
    ...(targets.length === 0 ? {} : { holds: targets.every((target) => isReached(target, figures[target.of])) }),
    notes
  }
}

/** Both, round by round where there are as many, else by their medians. */
const each = (
  ours: ReadonlyArray<number>,
  limits: ReadonlyArray<number>,
  compare: (ours: number, limit: number) => number
): ReadonlyArray<number> =>
  ours.length === limits.length
    ? ours.map((value, round) => compare(value, limits[round] ?? Number.NaN))
    : [compare(quantile(ours, 0.5), quantile(limits, 0.5))]

const isReached = (target: Target, { median }: Pick<Figure, "median"> = { median: Number.NaN }): boolean =>
  "atMost" in target ? median <= target.atMost : median >= target.atLeast

/** What a benchmark is told. */
export interface Run {
  /** Whether it is to be over within its share of a minute: smaller meshes, and fewer rounds. */
  readonly isQuick: boolean
  /** How many needs the meshes have, where it is asked for; each benchmark knows its own otherwise. */
  readonly needs?: number
  /** Whether a row, or any whose name begins so, is asked for. */
  readonly isAsked: (name: string) => boolean
  /** Says on a terminal what it is at. */
  readonly at: (what: string) => void
}

/** Rows that are measured together. */
export interface Benchmark {
  /** What its rows' names begin with. */
  readonly name: string
  readonly rows: (run: Run) => AsyncIterable<Row> | Iterable<Row>
}

/** Whether `--only` asks for rows of a name: for itself, for one of its parts, or for all that it is a part of. */
export const isAskedBy = (only: ReadonlyArray<string>) => (name: string): boolean =>
  only.length === 0 || only.some((one) => one === name || one.startsWith(`${name}.`) || name.startsWith(`${one}.`))
