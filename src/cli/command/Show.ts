/**
 * `show`, as a person sees it.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import type { QueryWhat } from "../../core/QueryWhat.ts"
import { busFlags } from "./BusFlags.ts"
import { from, json, runBy, text, turnedOn } from "./Parts.ts"

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

/** Facts and decisions as a table. */
export const show = Command.make(
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
    history: turnedOn("history", "Show what each was before, with the time; of the bus alone"),
    watch: turnedOn("watch", "Then show each change as it happens, until Ctrl-C; of the bus alone"),
    json: json("{ what, entries, outOfShape, conflicts? }; with --watch each change is a line"),
    connection: busFlags
  },
  ({ collection, module, node, state, ...config }) =>
    runBy(() => import("../Show.ts"), { ...config, narrowed: given({ node, module, collection, state }) })
).pipe(
  Command.withDescription(
    "Show what the bus or a snapshot holds (needs, applied, collect), or what is decided from it (registry, provisions, " +
      "plans, asks)."
  ),
  Command.withShortDescription("Show facts and decisions as a table"),
  Command.withExamples([
    { command: "mesh-provisioner show", description: "Ask the bus which domain answers which kind of need" },
    { command: "mesh-provisioner show plans --watch", description: "Follow which modules may run" },
    { command: "mesh-provisioner show --from mesh.json", description: "Which domain answers which kind, by a file" },
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

const given = (filters: { readonly [name: string]: Option.Option<string> }): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => Option.isSome(value) ? [[name, value.value]] : [])
  )
