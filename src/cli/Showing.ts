/**
 * What `serve` shows: the present in a few lines (how much there is in each state, how it stands, what a person can do), and
 * where it is asked for, each decision that changes.
 */
import type { Decisions } from "../core/Decision.ts"
import { changeLines, changesOf, factLines } from "./Changes.ts"
import { type Line, styled } from "./Print.ts"
import { paragraphs, stateCounts } from "./Say.ts"
import type { Screen } from "./Screen.ts"

/** What is shown, on a screen. */
export class Showing {
  readonly #screen: Screen
  readonly #footer: Line
  readonly #tellsChanges: boolean
  #decisions: Decisions | undefined
  #standing: Line | undefined

  constructor(screen: Screen, footer: Line, tellsChanges: boolean) {
    this.#screen = screen
    this.#footer = footer
    this.#tellsChanges = tellsChanges
  }

  /** It stands so now. */
  stands(sentence: string, isWell: boolean): void {
    this.#standing = [styled(isWell ? "green" : "yellow", sentence)]
    this.#show()
  }

  /** This was decided; or nothing is known to be decided now. */
  decided(decisions: Decisions | undefined): void {
    const before = this.#decisions
    this.#decisions = decisions
    if (this.#tellsChanges && before !== undefined && decisions !== undefined && before !== decisions) {
      const changes = changesOf(before, decisions)
      this.#screen.say(paragraphs(changes.decisions.flatMap((change) => [...changeLines(change)]), factLines(changes)))
    }
    this.#show()
  }

  // In a pipe nothing of the present is shown, and counting takes its time.
  #show(): void {
    if (this.#screen.live) {
      this.#screen.show([
        [],
        ...(this.#decisions === undefined ? [] : stateCounts(this.#decisions)),
        ...(this.#standing === undefined ? [] : [this.#standing]),
        this.#footer
      ])
    }
  }
}
