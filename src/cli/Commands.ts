/**
 * The command line as a person sees it. Each command's arguments, flags, words and examples are in `command/`; what it does
 * is in the file of its name beside this one, which is loaded when the command is run.
 */
import * as Command from "effect/cli/Command"
import { check } from "./command/Check.ts"
import { decide } from "./command/Decide.ts"
import { diff } from "./command/Diff.ts"
import { doctor } from "./command/Doctor.ts"
import { explain } from "./command/Explain.ts"
import { grants } from "./command/Grants.ts"
import { retire } from "./command/Retire.ts"
import { serve } from "./command/Serve.ts"
import { setup } from "./command/Setup.ts"
import { show } from "./command/Show.ts"
import { simulate } from "./command/Simulate.ts"
import { snapshot } from "./command/Snapshot.ts"
import { verify } from "./command/Verify.ts"
import { completions } from "./Completions.ts"

/** All of it. */
export const meshProvisioner = Command.make("mesh-provisioner").pipe(
  Command.withDescription(
    "Decides who provides what in a mesh of machines: the registry, every provision, ask and plan, from the facts on the bus " +
      "alone. Exit code 2 where a command is written wrong, 1 where it fails, else 0."
  ),
  Command.withSubcommands([{
    group: "COMMANDS",
    commands: [serve, decide, diff, show, explain, retire, check, setup, snapshot, verify, grants, doctor, simulate]
  }]),
  Command.withGlobalFlags([completions]),
  Command.withExamples([
    { command: "mesh-provisioner serve", description: "See an example mesh decided" },
    { command: "mesh-provisioner decide mesh.json", description: "Decide your own" },
    { command: "mesh-provisioner explain n1.shop --from mesh.json", description: "Ask why" }
  ])
)
