/**
 * Goal: the engine remembers what the facts are about and nothing else: once all of it is gone, nothing is left.
 *
 * Method: walks, and then every key is deleted and every bucket vanishes, in an order of its own; the engine's own index is
 * looked at, which nobody outside can reach.
 */
import { expect, test } from "vitest"
import { digest } from "../../src/core/Digest.ts"
import type { EngineChange } from "../../src/core/Engine.ts"
import { Agenda } from "../../src/core/engine/Agenda.ts"
import { Index } from "../../src/core/engine/Index.ts"
import { Intake } from "../../src/core/engine/Intake.ts"
import { Said } from "../../src/core/engine/Said.ts"
import { settleConsumer } from "../../src/core/engine/Settling.ts"
import { settleShared } from "../../src/core/engine/Shared.ts"
import { Spreading } from "../../src/core/engine/Spreading.ts"
import type { World } from "../../src/core/engine/World.ts"
import { walk } from "./Walk.ts"

/** How much is remembered, by what it is of. */
const remembered = ({ counts, ...index }: Index): { readonly [name: string]: number } => ({
  ...Object.fromEntries(Object.entries(counts.view).map(([of, byState]) => [`counts of ${of}`, byState.size])),
  ...Object.fromEntries(
    Object.entries(index).flatMap(([name, value]) =>
      value instanceof Map || value instanceof Set ? [[name, value.size] as const] : []
    )
  )
})

const take = (world: World, intake: Intake, changes: ReadonlyArray<EngineChange>): void => {
  changes.forEach((change) => intake.take(change))
  settleShared(world, Number.POSITIVE_INFINITY)
  for (let consumer = world.agenda.take(); consumer !== undefined; consumer = world.agenda.take()) {
    settleConsumer(world, consumer)
  }
}

test("nothing is left of what is gone", () => {
  let most = 0
  for (let seed = 1; seed <= 120; seed++) {
    const world: World = {
      index: new Index(digest),
      agenda: new Agenda(),
      touched: { haves: new Set(), provisions: new Set(), registry: false },
      spreading: new Spreading(),
      said: new Said()
    }
    const intake = new Intake(world)
    const changes = walk(seed, 60)
    changes.forEach((change) => take(world, intake, [change]))
    most = Math.max(most, remembered(world.index)["claims"] ?? 0)
    for (const change of changes) {
      take(world, intake, "key" in change ? [{ bucket: change.bucket, key: change.key }] : [])
    }
    for (const bucket of new Set(changes.map((change) => change.bucket))) {
      take(world, intake, [{ bucket, isThere: false }])
    }
    const left = Object.entries(remembered(world.index)).filter(([, count]) => count > 0)
    expect(left, `seed ${seed}`).toEqual([])
  }
  expect(most).toBeGreaterThan(5)
})
