/**
 * `diff`, as a person sees it.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { busFlags } from "./BusFlags.ts"
import { file, json, runBy } from "./Parts.ts"

/** What a change of facts would change. */
export const diff = Command.make("diff", {
  files: Argument.String(file).pipe(
    Argument.withDescription(
      "One or two snapshots: as it is (the bus where left out), and as it would be; - for standard input"
    ),
    Argument.variadic({ min: 1, max: 2 })
  ),
  json: json("{ decisions, rereads, answersToDelete, outOfShape, conflicts }"),
  connection: busFlags
}, ({ files, ...config }) => {
  const [before, after = before ?? ""] = files
  return runBy(() => import("../Diff.ts"), { ...config, after, before: files.length === 1 ? undefined : before })
}).pipe(
  Command.withDescription(
    "Say what a change of facts would change, before anyone makes it: each decision that appears, goes or changes state, " +
      "with its why, and which modules would have to read their values again."
  ),
  Command.withShortDescription("Say what a change of facts would change"),
  Command.withExamples([
    { command: "mesh-provisioner diff changed.json", description: "What the changed facts would come to on the bus" },
    { command: "mesh-provisioner diff mesh.json changed.json", description: "The same, against a file" },
    {
      command: "sed s/unhealthy/healthy/ mesh.json | mesh-provisioner diff mesh.json -",
      description: "What would change if all that is unhealthy were healthy"
    }
  ])
)
