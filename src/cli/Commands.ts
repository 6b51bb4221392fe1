/**
 * The command line as a person sees it: every command with its arguments, flags, words and examples. What a command does
 * is in the file of its name, which is loaded when the command is run.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { QueryWhat } from "../core/QueryWhat.ts"
import { completions } from "./Completions.ts"
import type { Failure } from "./Failure.ts"

/** What a command's own file gives. */
interface Loaded<Config> {
  readonly run: (config: Config) => Effect.Effect<void, Failure, FileSystem.FileSystem>
}

/** Runs a command by the file of its name: what the others need is never loaded. */
const runBy = <Config>(load: () => Promise<Loaded<Config>>, config: Config) =>
  Effect.flatMap(Effect.promise(load), ({ run }) => run(config))

/** What `show` shows; as a list of its own, so that the core is loaded only where something is to be decided. */
const shown = [
  "registry",
  "needs",
  "applied",
  "collect",
  "provisions",
  "plans",
  "asks"
] as const satisfies ReadonlyArray<QueryWhat>

/** Metavars of arguments and flags that are paths: completions offer files for them. */
const file = "FILE"

const json = (shape: string) =>
  Flag.Boolean("json").pipe(
    Flag.withDescription(`Print JSON: ${shape}`),
    Flag.withoutNegation,
    Flag.withDefault(false)
  )

const from = Flag.String("from").pipe(
  Flag.withMetavar(file),
  Flag.withDescription("The snapshot that is read, or - for standard input (required)")
)

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const snapshotWords =
  "A snapshot is { \"buckets\": { \"<bucket>\": { \"<key>\": <value> } } }, what a bus holds as a file."

const serve = Command.make("serve", {
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
}, ({ bus, follow, load }) => runBy(() => import("./Serve.ts"), { bus, follow, load: Option.getOrUndefined(load) }))
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

const decide = Command.make("decide", {
  file: Argument.String(file).pipe(Argument.withDescription("The snapshot, or - for standard input")),
  json: json("{ decisions, writes, outOfShape, conflicts }"),
  lines: Flag.Boolean("lines").pipe(
    Flag.withDescription("Read a snapshot a line, print such JSON for each, a line each"),
    Flag.withoutNegation,
    Flag.withDefault(false)
  )
}, (config) => runBy(() => import("./Decide.ts"), config)).pipe(
  Command.withDescription(
    `Decide everything that follows from the facts of a snapshot: the registry, provisions, asks and plans, and what ` +
      `would be written. ${snapshotWords}`
  ),
  Command.withShortDescription("Decide what follows from a snapshot"),
  Command.withExamples([
    {
      command: "mesh-provisioner decide mesh.json",
      description: "How much there is in each state, then what is not well and why"
    },
    {
      command: "mesh-provisioner decide mesh.json --json > decisions.json",
      description: "The same for programs, and what would be written"
    },
    { command: "mesh-provisioner decide --lines meshes.jsonl", description: "Many snapshots, one a line" }
  ])
)

const diff = Command.make("diff", {
  before: Argument.String("BEFORE").pipe(Argument.withDescription("The snapshot as it is, or - for standard input")),
  after: Argument.String("AFTER").pipe(
    Argument.withDescription("The snapshot as it would be, or - for standard input")
  ),
  json: json("{ decisions, rereads, answersToDelete, outOfShape, conflicts }")
}, (config) => runBy(() => import("./Diff.ts"), config)).pipe(
  Command.withDescription(
    "Say what a change of facts would change, before anyone makes it: each decision that appears, goes or changes state, " +
      "with its why, and which modules would have to read their values again."
  ),
  Command.withShortDescription("Say what a change of facts would change"),
  Command.withExamples([
    { command: "mesh-provisioner diff mesh.json changed.json", description: "What the changed facts would come to" },
    {
      command: "sed s/unhealthy/healthy/ mesh.json | mesh-provisioner diff mesh.json -",
      description: "What would change if all that is unhealthy were healthy"
    }
  ])
)

const show = Command.make(
  "show",
  {
    what: Argument.Literals("WHAT", shown).pipe(
      Argument.withDescription(`One of ${shown.join(", ")}; registry where left out`),
      Argument.withDefault("registry")
    ),
    from,
    node: text("node", "NAME", "Only of this node; of asks, the provider's"),
    module: text("module", "NAME", "Only of this module; of collect, the contributor, of asks, the consumer"),
    collection: text("collection", "NAME", "Only of this collection; for collect"),
    state: text("state", "STATE", "Only in this state; for provisions, plans and asks"),
    json: json("{ what, entries, outOfShape, conflicts? }")
  },
  ({ collection, from, json, module, node, state, what }) =>
    runBy(() => import("./Show.ts"), { what, from, json, narrowed: given({ node, module, collection, state }) })
).pipe(
  Command.withDescription(
    "Show what a snapshot holds (needs, applied, collect), or what is decided from it (registry, provisions, plans, asks)."
  ),
  Command.withShortDescription("Show facts and decisions as a table"),
  Command.withExamples([
    { command: "mesh-provisioner show --from mesh.json", description: "Which domain answers which kind of need" },
    {
      command: "mesh-provisioner show provisions --from mesh.json --state asked",
      description: "The needs that wait for something"
    },
    {
      command: "mesh-provisioner show asks --from mesh.json --node n2",
      description: "What the providers on n2 are asked"
    }
  ])
)

const explain = Command.make("explain", {
  key: Argument.String("KEY").pipe(
    Argument.withDescription("<node>.<module> for a plan, <node>.<module>.<kind>.<name> for one need")
  ),
  from,
  json: json("{ node, module, kind?, name?, tree }")
}, (config) => runBy(() => import("./Explain.ts"), config)).pipe(
  Command.withDescription(
    "Draw why a module on a node, or one of its needs, is as it is: each cause under what follows from it, down to the fact " +
      "that everything waits for."
  ),
  Command.withShortDescription("Draw the tree of causes"),
  Command.withExamples([
    { command: "mesh-provisioner explain n1.shop --from mesh.json", description: "Why shop on n1 may run, or may not" },
    {
      command: "mesh-provisioner explain n1.shop.bound.database --from mesh.json",
      description: "Why its database is not provided"
    }
  ])
)

const retire = Command.make("retire", {
  key: Argument.String("KEY").pipe(Argument.withDescription("The key of the ask, as `show asks` lists it")),
  answer: Flag.Literals("answer", ["retire", "keep"]).pipe(
    Flag.withDescription("retire: what was made is undone; keep: it is left alone (required)")
  ),
  by: Flag.String("by").pipe(Flag.withMetavar("NAME"), Flag.withDescription("Who answers (required)")),
  words: text("words", "WORDS", "Why, for whoever reads it later"),
  from: Flag.String("from").pipe(
    Flag.withMetavar(file),
    Flag.withDescription("The snapshot that is read, and that the answer is written into (required)")
  )
}, ({ words, ...config }) => runBy(() => import("./Retire.ts"), { ...config, words: Option.getOrUndefined(words) }))
  .pipe(
    Command.withDescription(
      "Answer an ask that is unneeded, kept or to be retired. The provisioner asks before anything is undone; this is the " +
        "answer. It counts for what the provider has now, and for nothing that is made later."
    ),
    Command.withShortDescription("Answer whether something is to be retired"),
    Command.withExamples([
      {
        command: "mesh-provisioner show asks --state unneeded --from mesh.json",
        description: "What is asked"
      },
      {
        command: "mesh-provisioner retire n2.postgres.n1.shop.database --answer retire --by ann --from mesh.json",
        description: "Have it undone"
      }
    ])
  )

const check = Command.make("check", {
  file: Argument.String(file).pipe(Argument.withDescription("The module's definition, or - for standard input")),
  module: text("module", "NAME", "The module's name; where left out, its folder's"),
  json: json("{ module, faults }")
}, ({ module, ...config }) => runBy(() => import("./Check.ts"), { ...config, module: Option.getOrUndefined(module) }))
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

const given = (filters: { readonly [name: string]: Option.Option<string> }): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => Option.isSome(value) ? [[name, value.value]] : [])
  )

/** All of it. */
export const meshProvisioner = Command.make("mesh-provisioner").pipe(
  Command.withDescription(
    "Decides who provides what in a mesh of machines: the registry, every provision, ask and plan, from the facts on the bus " +
      "alone. Exit code 2 where a command is written wrong, 1 where it fails, else 0."
  ),
  Command.withSubcommands([{ group: "COMMANDS", commands: [serve, decide, diff, show, explain, retire, check] }]),
  Command.withGlobalFlags([completions]),
  Command.withExamples([
    { command: "mesh-provisioner serve", description: "See an example mesh decided" },
    { command: "mesh-provisioner decide mesh.json", description: "Decide your own" },
    { command: "mesh-provisioner explain n1.shop --from mesh.json", description: "Ask why" }
  ])
)
