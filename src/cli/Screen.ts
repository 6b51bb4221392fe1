/**
 * Where `serve` shows what happens: on a terminal, what came to pass scrolls by above a few lines that always stand for the
 * present; in a pipe, only the former, a line each.
 */
import * as Effect from "effect/Effect"
import { fitted, hasColour, type Line, render } from "./Print.ts"

/** What is shown. */
export class Screen {
  /** Whether a person sees it live. */
  readonly live: boolean
  readonly #colour = hasColour(process.stdout)
  #above = ""
  #below: ReadonlyArray<Line> = []
  #isDue = false
  #drawn = 0

  /** `isForPrograms`: no person is shown the present, though it be a terminal. */
  constructor(isForPrograms = false) {
    process.once("exit", this.#drawNow)
    this.live = !isForPrograms && process.stdout.isTTY === true && process.env["TERM"] !== "dumb"
  }

  /** Says what came to pass. */
  say(lines: Iterable<Line>): void {
    this.#above += this.#text([...lines])
    this.#draw()
  }

  /** Sets the lines that stand for the present; in a pipe there are none. */
  show(lines: ReadonlyArray<Line>): void {
    if (this.live) {
      this.#below = lines
      this.#draw()
    }
  }

  /** Leaves the last present standing. */
  readonly leave: Effect.Effect<void> = Effect.sync(() => {
    this.#drawNow()
    this.#drawn = 0
    this.#below = []
  })

  // All that is said in one turn of the process is written at once: a write of its own for each of many lines takes longer
  // than what the lines tell of.
  #draw(): void {
    if (!this.#isDue) {
      this.#isDue = true
      setImmediate(this.#drawNow)
    }
  }

  readonly #drawNow = (): void => {
    if (!this.#isDue) {
      return
    }
    this.#isDue = false
    const above = this.#above
    this.#above = ""
    const wipe = this.#drawn === 0 ? "" : `\u001b[${this.#drawn}A\u001b[J`
    // A terminal of no size knows of none.
    const columns = process.stdout.columns || undefined
    const below = this.#below.map((line) => fitted(line, columns))
    process.stdout.write(wipe + above + this.#text(below))
    this.#drawn = below.length
  }

  #text(lines: ReadonlyArray<Line>): string {
    return lines.map((line) => `${render(line, this.#colour)}\n`).join("")
  }
}
