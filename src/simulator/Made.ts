/**
 * What a provider of a simulated mesh has, of each claim on each node: it knows that, whatever becomes of its bucket and of
 * what it writes there.
 */
import type { Json } from "../core/Json.ts"
import { type Entry, makersOf, whatIsSaid, writeNode } from "./Entry.ts"

/** So much of what it said to have somewhere is remembered. */
const saidMax = 8

/** What a provider has. */
export class Made {
  /** All that it said to have since it was made, as `<node> <claim>`. */
  readonly #said = new Map<string, ReadonlyArray<Json>>()
  /** What it has undone, and made nothing there since. */
  readonly #undone = new Set<string>()

  /** What there is, as `<node> <claim>`. */
  ids(): Iterable<string> {
    return this.#said.keys()
  }

  /** The bus has an entry of it. */
  say(claim: string, entry: Entry): void {
    for (const maker of makersOf(entry)) {
      const id = `${writeNode(maker)} ${claim}`
      this.#undone.delete(id)
      this.#said.set(id, [...(this.#said.get(id) ?? []).slice(1 - saidMax), ...whatIsSaid(entry, maker)])
    }
  }

  /**
   * Undoes what an entry says that a maker has.
   *
   * @returns all that it ever said to have there; nothing where it has undone it already, and only says so once more.
   */
  undo(claim: string, entry: Entry, maker: string): ReadonlyArray<Json> | undefined {
    const id = `${writeNode(maker)} ${claim}`
    const said = [...this.#said.get(id) ?? [], ...whatIsSaid(entry, maker)]
    this.#said.delete(id)
    if (this.#undone.has(id)) {
      return undefined
    }
    this.#undone.add(id)
    return said
  }
}
