/**
 * `retire`, as a person sees it.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { busFlags } from "./BusFlags.ts"
import { file, runBy, text } from "./Parts.ts"

/** An answer to an ask. */
export const retire = Command.make("retire", {
  key: Argument.String("KEY").pipe(Argument.withDescription("The key of the ask, as `show asks` lists it")),
  answer: Flag.Literals("answer", ["retire", "keep"]).pipe(
    Flag.withDescription("retire: what was made is undone; keep: it is left alone (required)")
  ),
  by: text("by", "NAME", "Who answers (required with --from; on the bus, where the account does not say)"),
  words: text("words", "WORDS", "Why, for whoever reads it later"),
  from: text("from", file, "The snapshot that is read, and that the answer is written into; where left out, the bus"),
  connection: busFlags
}, ({ by, from, words, ...config }) =>
  runBy(() => import("../Retire.ts"), {
    ...config,
    by: Option.getOrUndefined(by),
    words: Option.getOrUndefined(words),
    from: Option.getOrUndefined(from)
  }))
  .pipe(
    Command.withDescription(
      "Answer an ask that is unneeded, kept or to be retired. The provisioner asks before anything is undone; this is the " +
        "answer. It counts for what the provider has now, and for nothing that is made later."
    ),
    Command.withShortDescription("Answer whether something is to be retired"),
    Command.withExamples([
      {
        command: "mesh-provisioner retire n2.postgres.n1.shop.database --answer keep --by ann",
        description: "Tell the bus to leave it alone"
      },
      {
        command: "mesh-provisioner show asks --state unneeded --from mesh.json",
        description: "What is asked"
      },
      {
        command: "mesh-provisioner retire n2.postgres.n1.shop.database --answer retire --by ann --from mesh.json",
        description: "Have it undone"
      }
    ])
  )
