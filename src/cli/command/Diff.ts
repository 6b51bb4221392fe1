/**
 * `diff`, as a person sees it.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { busFlags } from "./BusFlags.ts"
import { file, json, runBy } from "./Parts.ts"

/** What a change of facts would change. */
export const diff = Command.make("diff", {
  files: Argument.String(file).pipe(
    Argument.withDescription(
      "One or two snapshots: as it is (the bus where left out), and as it would be; - for standard input"
    ),
    Argument.variadic({ min: 0, max: 2 })
  ),
  change: Flag.String("change").pipe(
    Flag.withMetavar(file),
    Flag.withDescription("Changes of facts in place of the snapshot as it would be; - for standard input"),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  ),
  json: json("{ decisions, rereads, answersToDelete, outOfShape, conflicts, more? }"),
  connection: busFlags
}, (config) => runBy(() => import("../Diff.ts"), config)).pipe(
  Command.withDescription(
    "Say what a change of facts would change, before anyone makes it: each decision that appears, goes or changes state, " +
      "with its why, and which modules would have to read their values again."
  ),
  Command.withShortDescription("Say what a change of facts would change"),
  Command.withExamples([
    { command: "mesh-provisioner diff changed.json", description: "What the changed facts would come to on the bus" },
    { command: "mesh-provisioner diff mesh.json changed.json", description: "The same, against a file" },
    {
      command: "mesh-provisioner diff --change change.json",
      description: "What a change of a few facts would do to the mesh now"
    },
    {
      command: "sed s/unhealthy/healthy/ mesh.json | mesh-provisioner diff mesh.json -",
      description: "What would change if all that is unhealthy were healthy"
    }
  ])
)
