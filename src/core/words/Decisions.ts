/**
 * Every `why` of a decision (protocol §4 to §7). A `why` names both ends and says what would change it: after "waiting
 * for" stands whose word is waited for.
 */
import type { Candidate, ModuleOn, Waits } from "../Decision.ts"
import type { Bound } from "../fact/Bound.ts"
import type { Have } from "../fact/Have.ts"
import { failedWhyCodePointsMax, keyBytesMax } from "../Limits.ts"
import { cut, list, on, quote, say, thing } from "./Text.ts"

/** What a claim is called in a sentence: whose it is, and of what. */
export interface SaidClaim extends ModuleOn {
  readonly provision: string
  readonly local?: string | undefined
}

const of = (claim: SaidClaim): string => `${thing(claim)} for ${on(claim)}`

const at = ({ bucket, key }: Waits): string => `key ${key} of ${say(bucket)}`

/** Why an answer of a definition does not stand (protocol §4). */
export const conflictWhy = {
  compiledIn: (kind: string, module: string) =>
    `the mesh answers kind ${say(kind)} itself, and nothing replaces that; take it out of the answers of ${module}`,
  several: (kind: string, modules: ReadonlyArray<string>) =>
    `${list(modules)} each answer kind ${say(kind)}, so none of them does; leave it in the answers of one`
}

const garbledAssignment = (who: ModuleOn, wrong: string): string =>
  `the assignment of ${
    on(who)
  } is out of shape, and so counts as none: ${wrong}; waiting for the controller to write it anew`

/** Why a need has the state it has, by kind (protocol §5.1). */
export const needWhy = {
  shape: (who: ModuleOn, wrong: string) =>
    `the need that ${on(who)} wrote is out of shape: ${wrong}; it is looked at again once it is written in shape`,
  unassigned: (who: ModuleOn, wrong: string | undefined) =>
    wrong === undefined
      ? `${who.module} needs it on ${say(who.node)}, but is not assigned there; waiting for the controller to assign it`
      : garbledAssignment(who, wrong),
  noDomain: (who: ModuleOn, kind: string) =>
    `${on(who)} has a need of kind ${say(kind)}, and no module answers that kind; ` +
    `a module whose definition answers it would change that`,
  conflict: (who: ModuleOn, kind: string, modules: ReadonlyArray<string>) =>
    `${list(modules)} each answer kind ${say(kind)}, which ${on(who)} needs, ` +
    `so none of them does; leave it in the answers of one`,
  tooLong: (who: ModuleOn) =>
    `a key for this need of ${on(who)} would be over ${keyBytesMax} bytes; shorter names would make room`,
  entry: (who: ModuleOn, find: Waits) => `${on(who)} finds it at ${at(find)}`,
  default: (who: ModuleOn, find: Waits) => `nothing can be read at ${at(find)}, so ${on(who)} takes its own default`,
  noEntry: (who: ModuleOn, find: Waits, wrong: string | undefined) =>
    wrong === undefined
      ? `${at(find)} is not there, and ${on(who)} has no default; waiting for it to be written`
      : `${at(find)} is out of shape (${wrong}), and ${on(who)} has no default; waiting for it to be written anew`,
  collection: (collection: string, who: ModuleOn, count: number) =>
    `collection ${say(collection)} on ${say(who.node)} has ${count} ${count === 1 ? "item" : "items"} for ${on(who)}`,
  placed: (who: ModuleOn, kind: string, name: string) =>
    `the assignment of ${on(who)} places ${say(kind)} ${say(name)}`,
  notPlaced: (who: ModuleOn, kind: string, name: string) =>
    `the assignment of ${on(who)} does not place ${say(kind)} ${say(name)}; waiting for the controller to place it`,
  noHolder: (who: ModuleOn, seat: string, wrong: string | undefined) =>
    `seat ${say(seat)}, which is to answer ${on(who)}, has no holder${wrong === undefined ? "" : ` (${wrong})`}; ` +
    `waiting for the controller to name one`
}

/** What is wrong with a holder that is none (protocol §5.1). */
export const notTheVault = (module: string): string => `${module} is named, and only mesh-vault can hold it`

/** Why a claim is served by whom it is, or by nobody (protocol §5.2). */
export const claimWhy = {
  twoHolders: (claim: SaidClaim, modules: ReadonlyArray<string>) =>
    `${list(modules)} each hold ${of(claim)}, so nobody can tell which of them has its data; ` +
    `waiting for a pin in the assignment of ${on(claim)} to say it`,
  holderShape: (claim: SaidClaim, module: string, wrong: string) =>
    `${module} holds ${of(claim)}, but its entry is out of shape: ${wrong}; waiting for ${module} to write it anew`,
  noDefinition: (claim: SaidClaim, holder: ModuleOn) =>
    `${on(holder)} holds ${of(claim)}, ` +
    `but no definition says in shape how ${holder.module} provides ${say(claim.provision)}; ` +
    `the data stays there, waiting for that definition`,
  notAssigned: (claim: SaidClaim, holder: ModuleOn) =>
    `${on(holder)} is to serve ${of(claim)}, which ${holder.module} holds, but is not assigned; ` +
    `the data stays where it is, waiting for that assignment`,
  seatGone: (claim: SaidClaim, holder: ModuleOn, seat: string) =>
    `${on(holder)} holds ${of(claim)}, but seat ${say(seat)} is held by no ${holder.module} that may serve it; ` +
    `the data stays there, waiting for the controller to name one`,
  own: (claim: SaidClaim) => `${on(claim)} carries its own ${thing(claim)}, as its node's client applied it`,
  ownForNobody: (claim: SaidClaim) =>
    `nothing else that is assigned provides ${say(claim.provision)}, so ${on(claim)} carries its own`,
  nobody: (claim: SaidClaim) =>
    `${on(claim)} needs ${say(claim.provision)}, and nothing else that is assigned provides it; ` +
    `assigning a module that does would change that`,
  seatEmpty: (claim: SaidClaim, candidate: ModuleOn, seat: string) =>
    `${on(candidate)} could provide ${of(claim)}, but seat ${say(seat)} has no holder; ` +
    `waiting for the controller to name one`,
  noCandidate: (claim: SaidClaim, candidates: ReadonlyArray<Candidate>, more: number) =>
    `nothing that is assigned can provide ${of(claim)}: ` +
    candidates.map((candidate) => `${on(candidate)} (${candidate.why})`).join("; ") +
    (more > 0 ? `; and ${more} more` : ""),
  unmet: (claim: SaidClaim, provider: ModuleOn, wrong: string) =>
    `${on(provider)} serves ${of(claim)} and does not meet this need: ${wrong}; ` +
    `a need that it meets, or a pin to a provider that meets this one, would change that`
}

/** Why a candidate does not serve (protocol §5.2). */
export const candidateWhy = {
  seat: (seat: string, holder: ModuleOn | undefined) =>
    holder === undefined ? `seat ${say(seat)} has no holder` : `seat ${say(seat)} is held by ${on(holder)}`,
  pin: (pin: Partial<ModuleOn>) => `the consumer is pinned to ${pinned(pin)}`,
  contract: (version: string, range: string) => `its contract is ${say(version)}, and ${say(range)} is needed`,
  field: (field: string) => `its contract has no field ${say(field)}`,
  draining: () => "it is draining, and takes nobody new"
}

const pinned = ({ module, node }: Partial<ModuleOn>): string =>
  node === undefined ? `module ${module}` : module === undefined ? `node ${say(node)}` : on({ module, node })

/** Why a claim's need has the state it has, by the provider's own outcome (protocol §5.3). */
export const outcomeWhy = {
  notBound: (claim: SaidClaim, provider: ModuleOn) =>
    `${on(provider)} is asked for ${of(claim)} and has not answered yet; waiting for its entry`,
  boundShape: (claim: SaidClaim, provider: ModuleOn, wrong: string) =>
    `the entry of ${provider.module} on ${of(claim)} is out of shape: ${wrong}; ` +
    `waiting for ${on(provider)} to write it anew`,
  boundElsewhere: (claim: SaidClaim, provider: ModuleOn, by: string) =>
    `${provider.module} on ${say(by)} has ${of(claim)}; waiting for ${on(provider)} to take it over`,
  earlierInstance: (claim: SaidClaim, provider: ModuleOn, answered: string, now: string) =>
    `${on(provider)} answered instance ${say(answered)} of ${on(claim)}, which is instance ${say(now)} now; ` +
    `waiting for its answer on ${thing(claim)} to that one`,
  failed: (words: string | undefined, provider: ModuleOn) =>
    words === undefined || words === ""
      ? `${on(provider)} failed and gives no reason`
      : cut(words, failedWhyCodePointsMax),
  making: (claim: SaidClaim, provider: ModuleOn, entry: Bound) =>
    `${on(provider)} says ${quote(entry.state)} of ${of(claim)}${words(entry.why)}; waiting for it to say provided`,
  secretInBucket: (claim: SaidClaim, provider: ModuleOn, field: string) =>
    `field ${say(field)} of ${of(claim)} is a secret and stands in the bucket of ${on(provider)}, ` +
    `where anyone can read it; ${provider.module} is to take it out, and the vault to make another`,
  fieldMissing: (claim: SaidClaim, provider: ModuleOn, field: string, type: string) =>
    `${on(provider)} says provided of ${of(claim)}, ` +
    `but gives no ${say(field)} that is ${type === "integer" ? "an" : "a"} ${type}; waiting for that field`,
  credential: (field: string, why: string) => `for field ${say(field)}: ${why}`,
  provided: (claim: SaidClaim, provider: ModuleOn) => `${on(provider)} provides ${of(claim)}`,
  unassigned: (provider: ModuleOn) =>
    `${on(provider)} holds the seat that is to answer, but is not assigned; waiting for the controller to assign it`,
  lost: (provider: ModuleOn) =>
    `${say(provider.node)}, where ${provider.module} is to answer, is not heard of; ` +
    `waiting for the controller to hear of it again`,
  noHave: (provider: ModuleOn, wrong: string | undefined) =>
    `nothing is known of how ${on(provider)} runs` +
    `${wrong === undefined ? "" : ` (its have is out of shape: ${wrong})`}; ` +
    `waiting for the word of the host of ${say(provider.node)}`,
  otherBuild: (provider: ModuleOn, runs: string, wanted: string) =>
    `${on(provider)} runs build ${say(runs)} and is to run ${say(wanted)}; waiting for its host to run that`,
  unhealthy: (provider: ModuleOn, have: Have) =>
    `${on(provider)} is ${have.health}${words(have.words)}; waiting for it to be healthy`,
  healthy: (provider: ModuleOn) => `${on(provider)} runs healthy at its wanted build`
}

const words = (given: string | undefined): string => given === undefined || given === "" ? "" : `: ${quote(given)}`

/** Why an ask has the state it has (protocol §6). */
export const askWhy = {
  wanted: (claim: SaidClaim, provider: ModuleOn) => `${on(claim)} needs ${thing(claim)}, and ${on(provider)} serves it`,
  wantedCredential: (claim: SaidClaim, accepts: ReadonlyArray<ModuleOn>) =>
    `${list(accepts.map(on))} ${accepts.length === 1 ? "is" : "are"} to accept this credential from ${on(claim)}`,
  heldShape: (claim: SaidClaim) =>
    `a need of ${on(claim)} is out of shape, so nobody can tell whether ${thing(claim)} is needed; ` +
    `nothing is undone until it is mended`,
  heldNeeded: (claim: SaidClaim) =>
    `${on(claim)} still has a need of ${thing(claim)}, and nobody else provides it; nothing is undone while that is so`,
  heldDefinition: (claim: SaidClaim, module: string) =>
    `no definition says in shape how ${module} provides ${of(claim)}; nothing is undone until one does`,
  answered: (answer: "retire" | "keep", by: string, said: string | undefined) =>
    `${by === "" ? "an operator" : say(by)} answered ${answer}${words(said)}`,
  free: (claim: SaidClaim) =>
    `nobody needs what was made here as ${of(claim)}, ` +
    `and its definition says that it can be made again at no loss, so nobody is asked`,
  unneeded: (claim: SaidClaim, provider: ModuleOn) =>
    `${on(provider)} still has ${of(claim)}, and nobody needs it there any more; ` +
    `answer retire to have it undone, or keep`,
  heldOther: (claim: SaidClaim) =>
    `seat vault has another holder, which is asked for ${of(claim)}; this one keeps what it has`,
  heldName: (claim: SaidClaim) =>
    `${of(claim)} does not read as the name of a credential, so nobody can tell what it opens; nothing is undone`,
  heldNoBucket: (claim: SaidClaim, module: string) =>
    `bucket ${module}_bound is not there, so nobody can tell what ${of(claim)} still opens; ` +
    `nothing is undone until it is`,
  heldOpens: (claim: SaidClaim, module: string) =>
    `${module} still has what ${of(claim)} opens, or its entry is out of shape; ` +
    `a secret is undone only after what it opens`,
  opened: (claim: SaidClaim, module: string) => `${module} has undone what ${of(claim)} opened`,
  heldNoVault: () => "seat vault has no holder that could undo it; nothing is undone until the controller names one"
}

/** Why a plan has the state it has (protocol §7). */
export const planWhy = {
  unassigned: (who: ModuleOn, wrong: string | undefined) =>
    wrong === undefined
      ? `${on(who)} is not assigned; waiting for the controller to assign it`
      : garbledAssignment(who, wrong),
  blocked: (key: string, provider: ModuleOn | undefined, why: string) =>
    `${key}${provider === undefined ? "" : ` (${on(provider)})`}: ${why}`,
  more: (count: number) => `and ${count} more`
}
