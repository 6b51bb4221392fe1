/**
 * `serve`, as a person sees it.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { type BusFlag, busFlags, flagsOf } from "./BusFlags.ts"
import { file, runBy, text } from "./Parts.ts"

/** What of the daemon can be set, beside its way to the bus. */
export const serveFlagTable = {
  name: {
    metavar: "NAME",
    variable: "MESH_PROVISIONER_NAME",
    words: "The name by which others see who holds the seat",
    byDefault: "the machine's name"
  },
  listen: {
    metavar: "HOST:PORT",
    variable: "MESH_PROVISIONER_LISTEN",
    words: "Where GET /healthz, /readyz and /metrics are answered",
    byDefault: "nowhere"
  },
  log: {
    metavar: "json|pretty",
    variable: "MESH_PROVISIONER_LOG",
    words: "How log lines are written: for programs or for people",
    byDefault: "pretty"
  },
  otlp: {
    metavar: "URL",
    variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
    words: "Where traces and logs are sent by OTLP over HTTP",
    byDefault: "nowhere"
  },
  "compare-every": {
    metavar: "DURATION",
    variable: "MESH_PROVISIONER_COMPARE_EVERY",
    words: "How often the whole is read and compared again",
    byDefault: "1h"
  }
} as const satisfies { readonly [name: string]: BusFlag }

/** What of these stands in the command line. */
export type ServeSettings = { readonly [Name in keyof typeof serveFlagTable]: string | undefined }

/** The provisioner on a bus. */
export const serve = Command.make("serve", {
  connection: {
    ...busFlags,
    bus: Flag.String("bus").pipe(
      Flag.withMetavar("memory|URL[,URL…]"),
      Flag.withDescription(
        "memory, within this process; or where NATS is, as nats://host:port (else $NATS_URL, memory)"
      ),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    )
  },
  load: text(
    "load",
    file,
    "The snapshot that is loaded at the start; where left out, an example mesh that comes with this"
  ),
  follow: Flag.Boolean("follow").pipe(
    Flag.withDescription(
      "Take each edit of the loaded file as changes, and print each decision that changes, with its why"
    ),
    Flag.withoutNegation,
    Flag.withDefault(false)
  ),
  settings: flagsOf(serveFlagTable)
}, ({ load, ...config }) => runBy(() => import("../Serve.ts"), { ...config, load: Option.getOrUndefined(load) }))
  .pipe(
    Command.withDescription(
      "Run the provisioner: decide all that follows from the facts on the bus, write it there, and keep it up as they " +
        "change. On NATS one instance holds the seat and the others stand by. A terminal shows how much there is in each " +
        "state; a pipe gets a line for each write. Ctrl-C ends it."
    ),
    Command.withShortDescription("Run the provisioner on a bus"),
    Command.withExamples([
      { command: "mesh-provisioner serve", description: "An example mesh, decided on a bus within this process" },
      {
        command: "mesh-provisioner serve --load mesh.json --follow",
        description: "Edit mesh.json meanwhile, and watch what changes and why"
      },
      {
        command: "mesh-provisioner serve --bus nats://127.0.0.1:4222 --listen 127.0.0.1:9464",
        description: "The daemon on a mesh, with its health and metrics"
      }
    ])
  )
