/**
 * `verify`, as a person sees it.
 */
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import { busFlags } from "./BusFlags.ts"
import { file, json, runBy, text } from "./Parts.ts"

/** A comparison of what is stored with what is decided. */
export const verify = Command.make("verify", {
  from: text("from", file, "The snapshot that is read, or - for standard input; where left out, the bus"),
  json: json("{ decisions, wrong: [{ bucket, key, fault, fields? }] }"),
  connection: busFlags
}, ({ from, ...config }) => runBy(() => import("../Verify.ts"), { ...config, from: Option.getOrUndefined(from) }))
  .pipe(
    Command.withDescription(
      "Read all facts and decisions, decide, and say each stored decision that is missing, that nothing decides, or that " +
        "differs. It changes nothing. Exit code 1 where there is any."
    ),
    Command.withShortDescription("Say which stored decisions are wrong"),
    Command.withExamples([
      { command: "mesh-provisioner verify", description: "The bus on this machine" },
      { command: "mesh-provisioner verify --from mesh.json --json", description: "A snapshot, for programs" }
    ])
  )
