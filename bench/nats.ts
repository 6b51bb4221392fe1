/**
 * The provisioner on NATS against the bare client: `npm run bench`, or `npm run bench -- --quick` for one minute's worth.
 *
 * - **change**: one process puts a have, the provisioner decides, and a third process sees the provision; beside it, a bare
 *   client that puts on into the provisions what it hears of the haves.
 * - **load**: the provisioner is started on so many needs, until every decision is stored; beside it, a bare client that
 *   reads the same facts and puts the same decisions.
 *
 * Both are measured in turn on one server. A ratio is of two figures that were taken one after the other, with the least and
 * the largest of all rounds; `docs/testing.md` says how to read them.
 */
import { Effect } from "effect"
import { parseArgs } from "node:util"
import { changes } from "./nats/change.ts"
import { load } from "./nats/load.ts"
import { stage } from "./nats/Stage.ts"

const { values: { quick } } = parseArgs({ options: { quick: { type: "boolean", default: false } } })

await Effect.runPromise(Effect.scoped(Effect.flatMap(stage, (on) =>
  Effect.promise(async () => {
    const rounds = quick ? 2 : 3
    for (const needs of quick ? [100, 10_000] : [100, 1_000, 10_000]) {
      console.log(await changes(on, { needs, rounds, times: needs <= 1_000 ? 150 : quick ? 6 : 20 }))
    }
    for (const needs of quick ? [10_000] : [10_000, 100_000]) {
      console.log(await load(on, { needs, rounds: quick ? 2 : 3 }))
    }
  }))))
