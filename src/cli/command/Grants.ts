/**
 * `grants`, as a person sees it.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { file, json, runBy, text } from "./Parts.ts"

/** A flag that may be given again and again, each with names between commas. */
const names = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.atLeast(0),
    Flag.map((given) => given.flatMap((list) => list.split(",")).map((one) => one.trim()).filter((one) => one !== ""))
  )

/** Who takes part in a mesh. */
export const partiesFlags = {
  nodes: names("nodes", "NODE[,NODE…]", "The nodes of the mesh"),
  providers: names("providers", "MODULE@NODE[,…]", "The provider modules, each with a node that it runs on"),
  operators: names("operators", "NAME[,NAME…]", "Who writes config values, and answers what is to be retired"),
  readers: names("readers", "NAME[,NAME…]", "Who only reads decisions"),
  buckets: names("buckets", "BUCKET@MODULE[,…]", "The buckets that definitions' answers name, each with its module")
}

/** The accounts and permissions of a mesh. */
export const grants = Command.make("grants", {
  ...partiesFlags,
  singleAccount: Flag.Boolean("single-account").pipe(
    Flag.withDescription("One account for all, with permissions by subject; what that leaves open is said"),
    Flag.withoutNegation,
    Flag.withDefault(false)
  ),
  seeds: text(
    "seeds",
    "FOLDER",
    "The users' nkey seeds: those that are missing are made; without it, variables stand for keys"
  ),
  out: text("out", file, "The file that is written, whole or not at all; where left out, standard output"),
  json: json("{ kind, holes, accounts: [{ name, jetStream, users, exports, imports }] }")
}, ({ out, seeds, ...config }) =>
  runBy(() => import("../Grants.ts"), {
    ...config,
    seeds: Option.getOrUndefined(seeds),
    out: Option.getOrUndefined(out)
  })).pipe(
    Command.withDescription(
      "Print the accounts and permissions of a mesh as a nats-server's configuration, to be included in that of each server. " +
        "Every party gets exactly what the protocol has it write and what its work has it read. It holds no secret."
    ),
    Command.withShortDescription("Print the accounts and permissions of a mesh"),
    Command.withExamples([
      {
        command:
          "mesh-provisioner grants --nodes n1,n2 --providers postgres@n2 --operators ann --seeds keys --out mesh.conf",
        description: "Make the keys of all, and the configuration that lets them in"
      },
      {
        command: "mesh-provisioner grants --nodes n1 --operators ann --single-account",
        description: "The same for a mesh at home, with variables in place of keys"
      }
    ])
  )
