/**
 * `diff`, as a person sees it.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { json, runBy } from "./Parts.ts"

/** What a change of facts would change. */
export const diff = Command.make("diff", {
  before: Argument.String("BEFORE").pipe(Argument.withDescription("The snapshot as it is, or - for standard input")),
  after: Argument.String("AFTER").pipe(
    Argument.withDescription("The snapshot as it would be, or - for standard input")
  ),
  json: json("{ decisions, rereads, answersToDelete, outOfShape, conflicts }")
}, (config) => runBy(() => import("../Diff.ts"), config)).pipe(
  Command.withDescription(
    "Say what a change of facts would change, before anyone makes it: each decision that appears, goes or changes state, " +
      "with its why, and which modules would have to read their values again."
  ),
  Command.withShortDescription("Say what a change of facts would change"),
  Command.withExamples([
    { command: "mesh-provisioner diff mesh.json changed.json", description: "What the changed facts would come to" },
    {
      command: "sed s/unhealthy/healthy/ mesh.json | mesh-provisioner diff mesh.json -",
      description: "What would change if all that is unhealthy were healthy"
    }
  ])
)
