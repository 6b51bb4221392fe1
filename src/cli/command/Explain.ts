/**
 * `explain`, as a person sees it.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { busFlags } from "./BusFlags.ts"
import { from, json, runBy } from "./Parts.ts"

/** The tree of causes. */
export const explain = Command.make("explain", {
  key: Argument.String("KEY").pipe(
    Argument.withDescription("<node>.<module> for a plan, <node>.<module>.<kind>.<name> for one need")
  ),
  from,
  connection: busFlags,
  json: json("{ node, module, kind?, name?, tree }")
}, (config) => runBy(() => import("../Explain.ts"), config)).pipe(
  Command.withDescription(
    "Draw why a module on a node, or one of its needs, is as it is: each cause under what follows from it, down to the fact " +
      "that everything waits for."
  ),
  Command.withShortDescription("Draw the tree of causes"),
  Command.withExamples([
    { command: "mesh-provisioner explain n1.shop", description: "Ask the bus why shop on n1 may run, or may not" },
    { command: "mesh-provisioner explain n1.shop --from mesh.json", description: "The same, of a file" },
    {
      command: "mesh-provisioner explain n1.shop.bound.database --from mesh.json",
      description: "Why its database is not provided"
    }
  ])
)
