/**
 * Changes that come all the time, so many a second.
 */
import type { Stage, Value } from "./Stage.ts"

const everyMillis = 5

/** Puts changes until it is stopped; `put` is told of each when it is sent. */
export class Load {
  readonly #timer: NodeJS.Timeout
  /** How many were put. */
  count = 0

  constructor(on: Stage, change: (index: number) => Value, perSecond: number, put: (value: Value) => void = () => {}) {
    const from = performance.now()
    this.#timer = setInterval(() => {
      const due = Math.floor((performance.now() - from) * perSecond / 1_000)
      for (; this.count < due; this.count++) {
        const value = change(this.count)
        put(value)
        on.admin.client.publish(`$KV.${value.bucket}.${value.key}`, JSON.stringify(value.value))
      }
    }, everyMillis)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
