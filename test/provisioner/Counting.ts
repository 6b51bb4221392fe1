/**
 * A provisioner whose turns are counted, as the daemon does it.
 */
import { Effect, Stream } from "effect"
import { countTurns, Metrics } from "../../src/provisioner/Metrics.ts"
import type { Provisioner } from "../../src/provisioner/Provisioner.ts"
import type { Standing } from "../../src/provisioner/Status.ts"
import { pass, type Running } from "./Running.ts"
import { parseScrape } from "./Scrape.ts"

/** A provisioner whose turns are counted, and a scrape of it. */
export const counting = Effect.fnUntraced(function*(running: Running) {
  const metrics = new Metrics("1.2.3")
  yield* Effect.forkScoped(countTurns(metrics, Stream.concat(Stream.make(running.provisioner), Stream.never)))
  yield* pass(1)
  const scrape = Effect.gen(function*() {
    const text = metrics.text({
      standing: yield* standingOf(running.provisioner),
      source: yield* running.provisioner.source
    })
    return parseScrape(text)
  })
  return { metrics, scrape }
})

const standingOf = (provisioner: Provisioner["Service"]): Effect.Effect<Standing> =>
  Effect.map(Effect.all([provisioner.health, provisioner.busyMillis]), ([health, busyMillis]): Standing => ({
    seat: { _tag: "Held" },
    health,
    connection: { isUp: true, reconnects: 2 },
    busyMillis,
    hasEnded: false
  }))
