/**
 * `decide`, as a person sees it.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { file, json, runBy } from "./Parts.ts"

const snapshotWords =
  "A snapshot is { \"buckets\": { \"<bucket>\": { \"<key>\": <value> } } }, what a bus holds as a file."

/** What follows from a snapshot. */
export const decide = Command.make("decide", {
  file: Argument.String(file).pipe(Argument.withDescription("The snapshot, or - for standard input")),
  json: json("{ decisions, writes, outOfShape, conflicts }"),
  lines: Flag.Boolean("lines").pipe(
    Flag.withDescription("Read a snapshot a line, print such JSON for each, a line each"),
    Flag.withoutNegation,
    Flag.withDefault(false)
  )
}, (config) => runBy(() => import("../Decide.ts"), config)).pipe(
  Command.withDescription(
    `Decide everything that follows from the facts of a snapshot: the registry, provisions, asks and plans, and what ` +
      `would be written. ${snapshotWords}`
  ),
  Command.withShortDescription("Decide what follows from a snapshot"),
  Command.withExamples([
    {
      command: "mesh-provisioner decide mesh.json",
      description: "How much there is in each state, then what is not well and why"
    },
    {
      command: "mesh-provisioner decide mesh.json --json > decisions.json",
      description: "The same for programs, and what would be written"
    },
    { command: "mesh-provisioner decide --lines meshes.jsonl", description: "Many snapshots, one a line" }
  ])
)
