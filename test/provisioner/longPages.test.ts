/**
 * Goal: what is seldom among many is found without anybody waiting for it: the verb looks through some keys at a time, answers
 * others in between, and gives no page without entries but the last.
 *
 * Method: a mesh of more needs than are looked through at once, of which the first and the last are refused.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { MemoryBus } from "../../src/adapters/memory/index.ts"
import { Bus } from "../../src/ports/Bus.ts"
import { Provisioner } from "../../src/provisioner/Provisioner.ts"

const count = 25_000
const name = (index: number) => `n1.shop.port.p${String(index).padStart(6, "0")}`
const refused = [0, count - 1].map(name)

const needs = Object.fromEntries(
  Array.from({ length: count }, (_, index) => [name(index), refused.includes(name(index)) ? { optional: 7 } : {}])
)

it.live(
  "the seldom among many is found some keys at a time, with others answered in between",
  () =>
    Effect.gen(function*() {
      const memory = yield* MemoryBus
      yield* memory.load({
        buckets: {
          "mesh-controller_assignments": { "n1.shop": { build: "s1" } },
          "mesh-provisioner_needs": needs
        }
      })
      const { health, verbs } = yield* Provisioner.make().pipe(
        Effect.provideService(Bus, memory.as({ role: "provisioner" })),
        Effect.provideService(Logger.CurrentLoggers, new Set())
      )
      for (let looks = 0; (yield* health).state !== "live" && looks < 3_000; looks++) {
        yield* Effect.sleep("10 millis")
      }
      const request = { what: "provisions", state: "refused", limit: 1 }
      // While the keys are brought in order, and looked through, another is answered.
      const others = { count: 0 }
      const asking = yield* Effect.forkChild(Effect.forever(
        Effect.andThen(
          verbs.explain({ node: "n1", module: "shop" }),
          Effect.andThen(Effect.sync(() => others.count++), Effect.sleep(0))
        )
      ))
      const found: Array<string> = []
      let after: string | undefined
      do {
        const page = yield* verbs.provisioning({ ...request, ...(after === undefined ? {} : { after }) })
        assert.isTrue(page.entries.length + page.outOfShape.length > 0 || page.next === undefined)
        found.push(...page.entries.map(({ key }) => key))
        after = page.next
      } while (after !== undefined)
      yield* Fiber.interrupt(asking)
      assert.deepStrictEqual(found, refused)
      assert.isAbove(others.count, 0)
    }).pipe(Effect.provide(MemoryBus.layer())),
  60_000
)
