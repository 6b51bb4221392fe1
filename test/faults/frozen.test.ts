/**
 * Goal: of a holder that is frozen past its seat's time, with writes on their way, nothing lands over what stands by then:
 * neither what had left it, nor what it does when it wakes.
 *
 * Method: two daemons as processes of their own, each on a way to the server that can hold up what it sends. The holder
 * decides by a fact that is put back before anybody takes over: its successor has nothing to write there, so that no revision
 * of a key keeps the old writes out, and the fence alone does.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { until } from "../adapters/nats/Ground.ts"
import {
  beatMillis,
  comesTo,
  daemon,
  followers,
  live,
  mesh,
  type Running,
  setHealth,
  timeToLiveMillis
} from "../daemon/Mesh.ts"
import { type Proxy, proxy } from "../nats/Proxy.ts"
import { figure, messages, millisSince } from "./Ground.ts"

const followerCount = 300
const rounds = 6

const decisionWrite = /^\$KV\.mesh-provisioner_(?:registry|provisions|asks|plans)\.(?!_epoch$)/

interface Party {
  readonly name: string
  readonly way: Proxy
  readonly running: Running
}

const timesSaid = ({ lines }: Running, words: string): number =>
  lines.filter(({ message }) => message.includes(words)).length

/** Waits until it says so once more than it had. */
const saysAgain = (running: Running, words: string, before: number) =>
  until(`it says "${words}" again`, () => timesSaid(running, words) > before, 30_000)

describe("a holder that is frozen past its seat's time", () => {
  it.live(
    `has none of its old term's writes stored, ${rounds} times over`,
    () =>
      Effect.gen(function*() {
        const facts = followers(followerCount, "healthy")
        const on = yield* mesh(facts)
        const party = Effect.fnUntraced(function*(name: string) {
          const way = yield* proxy(on.server)
          return { name, way, running: yield* daemon(way.url, name) } satisfies Party
        })
        const first = yield* party("first")
        yield* live(first.running)
        const second = yield* party("second")
        yield* saysAgain(second.running, "Stands by: first holds the seat.", 0)
        yield* comesTo(on, facts)
        const stale: Array<number> = []
        const takeovers: Array<number> = []
        for (let round = 0; round < rounds; round++) {
          const [holder, other] = round % 2 === 0 ? [first, second] : [second, first]
          const carried = () => holder.way.carried(decisionWrite)
          const [sentBefore, livesBefore] = [carried(), timesSaid(other.running, liveWords)]
          holder.way.holdUpSent()
          yield* setHealth(on, "unhealthy")
          yield* Effect.sleep("500 millis")
          holder.running.kill("SIGSTOP")
          const frozen = performance.now()
          yield* setHealth(on, "healthy")
          yield* saysAgain(other.running, liveWords, livesBefore)
          takeovers.push(millisSince(frozen))
          yield* comesTo(on, facts)
          const before = yield* messages(on)

          const standsBy = `Stands by: ${other.name} holds the seat.`
          const standsBefore = timesSaid(holder.running, standsBy)
          holder.way.letThrough()
          yield* until("what had left it arrives", () => carried() > sentBefore)
          yield* Effect.sleep("300 millis")
          stale.push(carried() - sentBefore)
          assert.deepStrictEqual(yield* messages(on), before, "nothing that had left it is stored")
          holder.running.kill("SIGCONT")
          yield* saysAgain(holder.running, standsBy, standsBefore)
          yield* Effect.sleep("300 millis")
          assert.deepStrictEqual(yield* messages(on), before, "nothing is stored since it woke")
          yield* comesTo(on, facts)
        }
        const seatMillis = timeToLiveMillis + beatMillis
        figure(
          `frozen ${rounds} times with ${Math.min(...stale)} to ${
            Math.max(...stale)
          } writes on their way: none was stored; ` +
            `another was live ${Math.min(...takeovers)} to ${
              Math.max(...takeovers)
            } ms later, of a seat of ${seatMillis} ms`
        )
      }),
    180_000
  )
})

const liveWords = "Every bucket is read, and what is decided is written."
