/**
 * `check`, as a person sees it.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import { file, json, runBy, text } from "./Parts.ts"

/** A check of a module's definition. */
export const check = Command.make("check", {
  file: Argument.String(file).pipe(Argument.withDescription("The module's definition, or - for standard input")),
  module: text("module", "NAME", "The module's name; where left out, its folder's"),
  json: json("{ module, faults }")
}, ({ module, ...config }) => runBy(() => import("../Check.ts"), { ...config, module: Option.getOrUndefined(module) }))
  .pipe(
    Command.withDescription(
      "Check a module's definition: every fault with its path and how to mend it. A directory that does not say how it " +
        "treats files it does not know is a fault. Exit code 1 where there is any."
    ),
    Command.withShortDescription("Check a module's definition"),
    Command.withExamples([
      { command: "mesh-provisioner check shop/module.json", description: "The definition of module shop" },
      {
        command: "mesh-provisioner check definition.json --module shop",
        description: "The same, from a file elsewhere"
      }
    ])
  )
