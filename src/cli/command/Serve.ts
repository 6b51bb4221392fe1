/**
 * `serve`, as a person sees it.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { file, runBy, text } from "./Parts.ts"

/** The provisioner on a bus. */
export const serve = Command.make("serve", {
  bus: Flag.Literals("bus", ["memory"]).pipe(
    Flag.withDescription("The bus to run on: memory, within this process"),
    Flag.withDefault("memory")
  ),
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
  )
}, ({ bus, follow, load }) => runBy(() => import("../Serve.ts"), { bus, follow, load: Option.getOrUndefined(load) }))
  .pipe(
    Command.withDescription(
      "Run the provisioner: decide all that follows from the facts on the bus, write it there, and keep it up as they " +
        "change. A terminal shows how much there is in each state; a pipe gets a line for each write. Ctrl-C ends it."
    ),
    Command.withShortDescription("Run the provisioner on a bus"),
    Command.withExamples([
      { command: "mesh-provisioner serve", description: "An example mesh, decided on a bus within this process" },
      {
        command: "mesh-provisioner serve --load mesh.json --follow",
        description: "Edit mesh.json meanwhile, and watch what changes and why"
      }
    ])
  )
