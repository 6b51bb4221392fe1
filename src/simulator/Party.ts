/**
 * Who takes part: each has a line to the bus of its own, and what goes wrong goes wrong on that line.
 */
import { hashOf } from "./Random.ts"

/** What becomes of a write that would be taken: it is lost, its answer is lost, or the bus says that it would not or is full. */
export type WriteLoss = "write" | "answer" | "refused" | "full"

/** Someone on the bus. */
export class Party {
  readonly name: string
  /** What its messages' ways are drawn by. */
  readonly hash: number
  /** What becomes of its next writes. */
  readonly losses: Array<WriteLoss> = []
  /** Its line is cut: what it sends does not arrive, and what it would hear waits. */
  isCutOff = false
  /** Its messages take so many times as long. */
  slowness = 1
  /** Until then what it sends may have been on its way for long, or be sent before it heard what it missed. */
  lateUntil = 0
  /** Of so many of a hundred messages it hears each twice. */
  twicePercent = 0
  readonly #waiting: Array<() => void> = []

  constructor(name: string) {
    this.name = name
    this.hash = hashOf(name)
  }

  /** Has something heard once the line is there again. */
  wait(hear: () => void): void {
    this.#waiting.push(hear)
  }

  /** The line is cut. */
  cutOff(): void {
    this.isCutOff = true
  }

  /** The line is there again: gives what waited for it. */
  restore(): ReadonlyArray<() => void> {
    this.isCutOff = false
    return this.#waiting.splice(0)
  }

  /** Nothing goes wrong on its line any more. */
  heal(): ReadonlyArray<() => void> {
    this.losses.length = 0
    this.slowness = 1
    this.twicePercent = 0
    this.lateUntil = 0
    return this.restore()
  }
}
