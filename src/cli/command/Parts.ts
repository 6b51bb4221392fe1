/**
 * What commands have in common as a person sees them.
 */
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { Failure } from "../Failure.ts"

/** What a command's own file gives. */
interface Loaded<Config> {
  readonly run: (config: Config) => Effect.Effect<void, Failure, FileSystem.FileSystem>
}

/** Runs a command by the file of its name: what the others need is never loaded. */
export const runBy = <Config>(load: () => Promise<Loaded<Config>>, config: Config) =>
  Effect.flatMap(Effect.promise(load), ({ run }) => run(config))

/** Metavars of arguments and flags that are paths: completions offer files for them. */
export const file = "FILE"

/** The flag that has JSON printed, of this shape. */
export const json = (shape: string) => turnedOn("json", `Print JSON: ${shape}`)

/** A flag that turns something on. */
export const turnedOn = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withoutNegation, Flag.withDefault(false))

/** The flag that names the snapshot to be read. */
export const from = Flag.String("from").pipe(
  Flag.withMetavar(file),
  Flag.withDescription("The snapshot that is read, or - for standard input; where left out, the bus is asked"),
  Flag.optional,
  Flag.map(Option.getOrUndefined)
)

/** A flag that may be left out. */
export const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)
