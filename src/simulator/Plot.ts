/**
 * The plot of a simulated mesh: what happens to it from outside, each at its time. What follows from that is played by the
 * actors. A seed draws it before anything is played, so that a part of it can be left out and the rest stays what it was.
 */
import type { Random } from "./Random.ts"

/** What happens in any mesh. */
export type MeshDeed =
  | "assign"
  | "unassign"
  | "define"
  | "undefine"
  | "machine"
  | "seat"
  | "unseat"
  | "need"
  | "need no more"
  | "leave"
  | "collect"
  | "set"
  | "unset"
  | "license"
  | "move"

/**
 * The kinds of fault that may be chosen, each with the deeds that are of it.
 *
 * @example
 * ```ts
 * import { faultKinds } from "mesh-provisioner/simulator"
 *
 * faultKinds.buckets // ["lose bucket", "bring bucket back"]
 * ```
 */
export const faultKinds = {
  messages: ["slow", "twice", "cut off", "restore"],
  watches: ["end watches", "hang", "miss deletes"],
  writes: ["lose writes", "refuse writes"],
  buckets: ["lose bucket", "bring bucket back"],
  processes: ["kill", "start", "freeze", "wake", "clock"],
  parties: ["slip", "forget", "answer wrongly", "garble", "crash", "tamper"]
} as const

/** A kind of fault. */
export type FaultKind = keyof typeof faultKinds

/** What goes wrong. */
export type FaultDeed = (typeof faultKinds)[FaultKind][number]

/** What may happen. */
export type Deed = MeshDeed | FaultDeed

const faults: ReadonlySet<string> = new Set(Object.values(faultKinds).flat())

/** Whether a deed is a fault, and not what happens in any mesh. */
export const isFault = (deed: Deed): boolean => faults.has(deed)

/** What happens, when, and three numbers that say to whom and how. */
export interface Happening {
  readonly at: number
  readonly deed: Deed
  readonly who: number
  readonly what: number
  readonly how: number
}

const weights: { readonly [D in Deed]: number } = {
  assign: 14,
  unassign: 5,
  define: 5,
  undefine: 2,
  machine: 3,
  seat: 3,
  unseat: 1,
  need: 22,
  "need no more": 12,
  leave: 2,
  collect: 4,
  set: 3,
  unset: 2,
  license: 2,
  crash: 3,
  move: 1,
  slip: 10,
  forget: 1,
  "answer wrongly": 2,
  kill: 3,
  start: 3,
  freeze: 3,
  wake: 4,
  "cut off": 3,
  restore: 4,
  "lose writes": 9,
  "refuse writes": 1,
  slow: 3,
  twice: 4,
  "end watches": 2,
  hang: 1,
  "miss deletes": 2,
  "lose bucket": 1,
  "bring bucket back": 3,
  clock: 1,
  garble: 4,
  tamper: 3
}

/** What a plot is drawn by. */
export interface PlotOptions {
  readonly faults: ReadonlyArray<FaultKind>
  /** How much is to happen. */
  readonly count: number
  /** The time between one thing and the next, in milliseconds, at the median. */
  readonly pauseMillis: number
}

/** Draws what happens from this time on, in the order of time. */
export const drawPlot = (
  random: Random,
  from: number,
  { count, faults, pauseMillis }: PlotOptions
): Array<Happening> => {
  const chosen = new Set<string>(faults.flatMap((kind) => [...faultKinds[kind]]))
  const deeds = (Object.keys(weights) as ReadonlyArray<Deed>).filter((deed) => !isFault(deed) || chosen.has(deed))
  const all = deeds.flatMap((deed) => Array.from({ length: weights[deed] }, () => deed))
  const plot: Array<Happening> = []
  let at = from
  for (let drawn = 0; drawn < count; drawn++) {
    // Most of it comes close together, and now and then nothing comes for a while.
    at += random.chance(90) ? random.below(2 * pauseMillis) : random.below(40 * pauseMillis)
    const deed = all[random.below(all.length)] ?? "need"
    plot.push({ at, deed, who: random.below(1 << 20), what: random.below(1 << 20), how: random.below(1 << 20) })
  }
  return plot
}
