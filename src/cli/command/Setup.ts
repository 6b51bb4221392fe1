/**
 * `setup`, as a person sees it.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { busFlags } from "./BusFlags.ts"
import { json, runBy, text } from "./Parts.ts"

/** A flag that may be given again and again, each with names between commas. */
const names = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.atLeast(0),
    Flag.map((given) => given.flatMap((list) => list.split(",")).map((one) => one.trim()).filter((one) => one !== ""))
  )

/** The buckets of the mesh. */
export const setup = Command.make("setup", {
  apply: Flag.Boolean("apply").pipe(
    Flag.withDescription("Make and change the buckets; else it is only said what is to be done"),
    Flag.withoutNegation,
    Flag.withDefault(false)
  ),
  replicas: Flag.Int("replicas").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("On how many servers each bucket is kept; else as it is, or 1"),
    Flag.optional
  ),
  storage: Flag.Literals("storage", ["file", "memory"]).pipe(
    Flag.withDescription("Where buckets are kept: those in memory go with their servers"),
    Flag.withDefault("file")
  ),
  timeToLive: text(
    "seat-time-to-live",
    "DURATION",
    "How long the seat's holder may be silent; else as it is, or 10s"
  ),
  providers: names("providers", "MODULE[,MODULE…]", "Modules that are to have a bucket for what they provide"),
  buckets: names("bucket", "NAME[,NAME…]", "Other buckets that are to be there"),
  json: json("{ buckets: [{ bucket, action, differences }], made, changed }"),
  connection: busFlags
}, ({ replicas, timeToLive, ...config }) =>
  runBy(() => import("../Setup.ts"), {
    ...config,
    replicas: Option.getOrUndefined(replicas),
    timeToLive: Option.getOrUndefined(timeToLive)
  })).pipe(
    Command.withDescription(
      "Say which of the mesh's buckets are missing, and what of the others is not as it should be; with --apply, make and " +
        "change them. Exit code 1 where anything is left to be done."
    ),
    Command.withShortDescription("Make the buckets of the mesh"),
    Command.withExamples([
      { command: "mesh-provisioner setup", description: "What is missing on this machine's bus, and what differs" },
      {
        command: "mesh-provisioner setup --apply --providers postgres,mesh-vault",
        description: "Make it so, with the buckets of two providers"
      }
    ])
  )
