/**
 * What a run of a simulated provisioner follows, for as long as it does: these are what may go wrong.
 */
import { type Bus, unreachable } from "./Bus.ts"
import { mix } from "./Random.ts"
import { type NamesWatch, Watch } from "./Watch.ts"

/** The watches of a run, in the order in which they began. */
export class Watches {
  readonly #all = new Set<Watch | NamesWatch>()

  /** One begins. */
  add(watch: Watch | NamesWatch): void {
    this.#all.add(watch)
  }

  /** One is followed no more. */
  close(bus: Bus, watch: Watch | NamesWatch): void {
    watch.close(bus)
    this.#all.delete(watch)
  }

  /** Nothing is followed any more. */
  closeAll(bus: Bus): void {
    for (const watch of this.#all) {
      watch.close(bus)
    }
    this.#all.clear()
  }

  /** The line is cut: all that is followed ends. */
  cutOff(bus: Bus): void {
    for (const watch of this.#all) {
      watch.end(bus, unreachable)
    }
  }

  /** One of those of a bucket, by a number. */
  by(number: number): Watch | undefined {
    const watches = [...this.#all].filter((watch) => watch instanceof Watch)
    return watches[mix(number, 0, 0) % Math.max(1, watches.length)]
  }
}
