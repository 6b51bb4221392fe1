/**
 * `retire`, as a person sees it.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { file, runBy, text } from "./Parts.ts"

/** An answer to an ask. */
export const retire = Command.make("retire", {
  key: Argument.String("KEY").pipe(Argument.withDescription("The key of the ask, as `show asks` lists it")),
  answer: Flag.Literals("answer", ["retire", "keep"]).pipe(
    Flag.withDescription("retire: what was made is undone; keep: it is left alone (required)")
  ),
  by: Flag.String("by").pipe(Flag.withMetavar("NAME"), Flag.withDescription("Who answers (required)")),
  words: text("words", "WORDS", "Why, for whoever reads it later"),
  from: Flag.String("from").pipe(
    Flag.withMetavar(file),
    Flag.withDescription("The snapshot that is read, and that the answer is written into (required)")
  )
}, ({ words, ...config }) => runBy(() => import("../Retire.ts"), { ...config, words: Option.getOrUndefined(words) }))
  .pipe(
    Command.withDescription(
      "Answer an ask that is unneeded, kept or to be retired. The provisioner asks before anything is undone; this is the " +
        "answer. It counts for what the provider has now, and for nothing that is made later."
    ),
    Command.withShortDescription("Answer whether something is to be retired"),
    Command.withExamples([
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
