/**
 * What the verbs and `check` say (protocol §8).
 */
import type { ModuleOn } from "../Decision.ts"
import { list, on, quote, say } from "./Text.ts"

const allowed = (names: ReadonlyArray<string>): string => `allowed are ${list(names)}`

/** Why a request is refused. */
export const verbWhy = {
  noObject: (fields: ReadonlyArray<string>) => `the request is no JSON object; ${allowed(fields)}`,
  unknownField: (fields: ReadonlyArray<string>) =>
    `the request has a field that this verb does not know; ${allowed(fields)}`,
  noFilter: (field: string, what: string, filters: ReadonlyArray<string>) =>
    `${what} cannot be narrowed by ${field}, only by ${list(filters)}`,
  noState: (what: string, states: ReadonlyArray<string>) =>
    states.length === 0
      ? `${what} cannot be narrowed by state, only provisions, plans and asks can`
      : `no state of ${what} is called so; ${allowed(states)}`,
  kindAndName: () => "kind and name go together: both, for one need, or neither, for the whole plan",
  noPlan: () => "nothing is planned there: no such module is assigned to that node, and none has a need there",
  noNeed: () => "the module on that node has no such need",
  noAsk: () => "there is no ask with this key; the verb mesh-provisioner.provisioning lists them with what: asks",
  notAsked: (state: "wanted" | "held") =>
    state === "wanted"
      ? "the ask is wanted: its consumer needs it, so there is nothing to retire; take the need away first"
      : "the ask is held, and nothing is undone yet: its why says what has to be settled first",
  notWhatIf: () => "what would be is told to operators and readers alone, as it speaks of others than who asks",
  changes: (changesMax: number) => `changes is to have from 1 to ${changesMax} changes of facts`,
  noFacts: (bucket: string) => `${say(bucket)} is a bucket of decisions: only facts are changed, the decisions follow`,
  keyOrBucket: () =>
    "a change has a bucket, and either a key (with its value, or none where the key is gone) or isThere (whether the " +
    "bucket is)",
  muchWouldChange: (thingsMax: number) =>
    `more than ${thingsMax} things would be decided anew, for which the provisioner does not keep others waiting; ` +
    `ask it of a snapshot`,
  noCaller: () => "by is missing: say who answers",
  noOperator: () =>
    "only an operator answers whether something is to be retired: ask by an account called operator:<name>",
  longReply: () => "by and words are more than the bus carries in one message; say it in fewer",
  longWords: (codePointsMax: number) => `by and words are at most ${codePointsMax} code points each; say it in fewer`
}

/** What the steps of an explanation say of a fact (protocol §8). */
export const stepWhy = {
  absent: (writer: string) => `is not there; ${writer} is to write it`,
  outOfShape: (wrong: string, writer: string) => `is out of shape: ${wrong}; ${writer} is to write it anew`,
  there: () => "is there",
  seat: (holder: ModuleOn) => `is held by ${on(holder)}`,
  assigned: (build: string) => `is to run at build ${say(build)}`,
  says: (state: string, words: string | undefined) =>
    `says ${quote(state)}${words === undefined || words === "" ? "" : `: ${quote(words)}`}`,
  runs: (build: string, health: string, words: string | undefined) =>
    `runs build ${say(build)}, ${health}${words === undefined || words === "" ? "" : `: ${quote(words)}`}`,
  lost: () => "is not heard of",
  circle: (keys: ReadonlyArray<string>) =>
    `this is a circle of waits: ${keys[0]} waits for ` +
    [...keys.slice(1), ...keys.slice(0, 1)].join(", which waits for "),
  more: () => "the explanation ends here; explain this step for the rest of it"
}

/** How to mend a fault of a definition (protocol §3). */
export const mendWhy = {
  definition: () => "write a JSON object with provides, answers and directories as it needs them",
  group: (group: string) => `write ${group} as an object, or leave it out`,
  credential: () =>
    "say \"consumer\" where the provider makes something for each consumer, \"none\" where running is all it does",
  version: () => "write a version like \"1.4.0\", or leave it out for 0.0.0",
  fields: () =>
    "give each field the type \"string\", \"integer\" or \"boolean\", or \"secret\" where credential is \"consumer\"",
  retire: () => "say \"ask\" (or leave it out), or \"free\" where what it makes can be made again at no loss",
  seat: () => "give the name of the seat, or leave it out",
  provision: () =>
    "write { \"credential\": \"consumer\" | \"none\", \"contract\"?, \"retire\"?, \"seat\"? } under a name that is not the vault's",
  answer: () => "write { \"bucket\", \"key\" } or { \"seat\", \"verb\" } under a kind that is not _epoch",
  bucket: (module: string) => `name a bucket that begins with ${module}_ and is the module's own`,
  pattern: () => "join tokens with . of which each is <node>, <module>, <kind>, <name> or a token itself",
  compiledIn: () => "give the kind another name, or take it out",
  directory: () => "say how it treats files it does not know: \"unknown\": \"program\", \"mesh\" or \"leave\"",
  value: () => "write the definition without it"
}
