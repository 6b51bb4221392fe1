/**
 * `snapshot`, as a person sees it.
 */
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import { busFlags } from "./BusFlags.ts"
import { file, runBy, text } from "./Parts.ts"

/** The live bus as a file. */
export const snapshot = Command.make("snapshot", {
  out: text("out", file, "The file that is written, whole or not at all; where left out, standard output"),
  connection: busFlags
}, ({ connection, out }) => runBy(() => import("../Snapshot.ts"), { connection, out: Option.getOrUndefined(out) }))
  .pipe(
    Command.withDescription(
      "Read the facts and decisions of the live bus as a snapshot, so that everything that reads a file works on it " +
        "elsewhere. It changes nothing."
    ),
    Command.withShortDescription("Write what the bus holds to a file"),
    Command.withExamples([
      { command: "mesh-provisioner snapshot --out mesh.json", description: "The bus on this machine" },
      {
        command: "mesh-provisioner snapshot --context home | mesh-provisioner decide -",
        description: "What follows from the facts of another, which the nats command line knows"
      }
    ])
  )
