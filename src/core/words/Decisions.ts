/**
 * Every `why` of a decision (protocol §4 to §7). A `why` names both ends and says what would change it.
 */
import type { Candidate, Find, ModuleOn, Waits } from "../Decision.ts"
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

const at = ({ bucket, key }: Waits): string => `key ${key} of ${bucket}`

/** Why an answer of a definition does not stand (protocol §4). */
export const conflictWhy = {
  compiledIn: (kind: string, module: string) =>
    `kind ${say(kind)} is answered by the mesh itself and never replaced; take it out of the answers of ${module}`,
  several: (kind: string, modules: ReadonlyArray<string>) =>
    `${list(modules)} all answer kind ${say(kind)}, so none of them does; leave it in the answers of one`
}

/** Why a need has the state it has, by kind (protocol §5.1). */
export const needWhy = {
  shape: (who: ModuleOn, wrong: string) => `what ${on(who)} wrote as its need is out of shape: ${wrong}`,
  unassigned: (who: ModuleOn) => `${on(who)} is not assigned; it is looked at once the controller assigns it`,
  noDomain: (who: ModuleOn, kind: string) =>
    `no module answers needs of kind ${say(kind)}, as ${
      on(who)
    } has one; a module whose definition answers it would change that`,
  conflict: (who: ModuleOn, kind: string, modules: ReadonlyArray<string>) =>
    `${list(modules)} all answer kind ${say(kind)}, which ${
      on(who)
    } needs, so none of them does; leave it in the answers of one`,
  tooLong: (who: ModuleOn) =>
    `a key for this need of ${on(who)} would be over ${keyBytesMax} bytes; shorter names would make room`,
  entry: (who: ModuleOn, find: Waits) => `${on(who)} finds it at ${at(find)}`,
  default: (who: ModuleOn, find: Waits) => `${at(find)} is not there, so ${on(who)} takes its own default`,
  noEntry: (who: ModuleOn, find: Waits, wrong: string | undefined) =>
    wrong === undefined
      ? `${on(who)} waits for ${at(find)}, which is not there, and has no default`
      : `${on(who)} waits for ${at(find)}, which is out of shape (${wrong}), and has no default`,
  collection: (collection: string, who: ModuleOn, count: number) =>
    `collection ${say(collection)} on ${say(who.node)} has ${count} ${count === 1 ? "item" : "items"} for ${on(who)}`,
  placed: (who: ModuleOn, kind: string, name: string) =>
    `the assignment of ${on(who)} places ${say(kind)} ${say(name)}`,
  notPlaced: (who: ModuleOn, kind: string, name: string) =>
    `the assignment of ${on(who)} does not place ${say(kind)} ${say(name)}; it waits for the controller to`,
  noHolder: (who: ModuleOn, seat: string, wrong: string | undefined) =>
    `seat ${say(seat)}, which is to answer ${on(who)}, has no holder${wrong === undefined ? "" : ` (${wrong})`}; ` +
    `it waits for the controller to name one`
}

/** What is wrong with a holder that is none (protocol §5.1). */
export const notTheVault = (module: string): string => `${module} is named, and only mesh-vault can hold it`

/** Why a claim is served by whom it is, or by nobody (protocol §5.2). */
export const claimWhy = {
  twoHolders: (claim: SaidClaim, modules: ReadonlyArray<string>) =>
    `${list(modules)} all hold something made as ${of(claim)}, so nobody can tell where its data is; ` +
    `a pin in the assignment of ${on(claim)} is to say it`,
  holderShape: (claim: SaidClaim, module: string, wrong: string) =>
    `${module} holds ${of(claim)}, but its entry is out of shape: ${wrong}; it waits for ${module} to write it anew`,
  noDefinition: (claim: SaidClaim, holder: ModuleOn) =>
    `${on(holder)} holds ${of(claim)}, but no definition of ${holder.module} says that it provides ${
      say(claim.provision)
    }; ` +
    `its data stays there, and it waits for the definition`,
  notAssigned: (claim: SaidClaim, holder: ModuleOn) =>
    `${on(holder)} holds ${
      of(claim)
    }, or is to take it over, but is not assigned; its data stays there, and it waits for the assignment`,
  seatGone: (claim: SaidClaim, holder: ModuleOn, seat: string) =>
    `${on(holder)} holds ${of(claim)}, but seat ${say(seat)} has no holder of ${holder.module} that may serve it; ` +
    `its data stays there, and it waits for the seat`,
  own: (claim: SaidClaim) => `${on(claim)} carries its own ${thing(claim)}, as it has applied`,
  ownForNobody: (claim: SaidClaim) =>
    `nothing that provides ${say(claim.provision)} is assigned, so ${on(claim)} carries its own`,
  nobody: (claim: SaidClaim) =>
    `nothing that provides ${say(claim.provision)}, as ${
      on(claim)
    } needs it, is assigned; assigning a module that provides it would change that`,
  seatEmpty: (claim: SaidClaim, candidate: ModuleOn, seat: string) =>
    `${on(candidate)} could provide ${of(claim)}, but seat ${
      say(seat)
    } has no holder; it waits for the controller to name one`,
  noCandidate: (claim: SaidClaim, candidates: ReadonlyArray<Candidate>, more: number) =>
    `none of the modules assigned can provide ${of(claim)}: ` +
    candidates.map((candidate) => `${on(candidate)} (${candidate.why})`).join("; ") +
    (more > 0 ? `; and ${more} more` : ""),
  unmet: (claim: SaidClaim, provider: ModuleOn, wrong: string) =>
    `${on(provider)} serves ${of(claim)} and cannot meet this need: ${wrong}`
}

/** Why a candidate does not serve (protocol §5.2). */
export const candidateWhy = {
  seat: (seat: string, holder: ModuleOn | undefined) =>
    holder === undefined ? `seat ${say(seat)} has no holder` : `seat ${say(seat)} is held by ${on(holder)}`,
  pin: (pin: Partial<ModuleOn>) =>
    `the claim is pinned to ${pin.module ?? "a module"} on ${pin.node === undefined ? "any node" : say(pin.node)}`,
  contract: (version: string, range: string) => `its contract is ${say(version)}, and ${say(range)} is needed`,
  field: (field: string) => `its contract has no field ${say(field)}`,
  draining: () => "it is draining"
}

/** Why a claim's need has the state it has, by the provider's own outcome (protocol §5.3). */
export const outcomeWhy = {
  notBound: (claim: SaidClaim, provider: ModuleOn) =>
    `${on(provider)} is asked for ${of(claim)} and has not answered yet; it waits for its entry`,
  boundShape: (claim: SaidClaim, provider: ModuleOn, wrong: string) =>
    `the entry of ${provider.module} on ${of(claim)} is out of shape: ${wrong}; it waits for ${
      on(provider)
    } to write it anew`,
  boundElsewhere: (claim: SaidClaim, provider: ModuleOn, by: string) =>
    `${provider.module} on ${say(by)} answered for ${of(claim)}; it waits for ${on(provider)} to take it over`,
  earlierInstance: (claim: SaidClaim, provider: ModuleOn, answered: string, now: string) =>
    `${on(provider)} answered instance ${say(answered)} of ${on(claim)}, which is instance ${say(now)} now; ` +
    `it waits for an answer on ${thing(claim)} to that`,
  failed: (words: string | undefined, provider: ModuleOn) =>
    words === undefined || words === ""
      ? `${on(provider)} failed and gives no reason`
      : cut(words, failedWhyCodePointsMax),
  making: (claim: SaidClaim, provider: ModuleOn, entry: Bound) =>
    `${on(provider)} says ${quote(entry.state)} of ${of(claim)}${words(entry.why)}; it waits for provided`,
  secretInBucket: (claim: SaidClaim, provider: ModuleOn, field: string) =>
    `${on(provider)} wrote field ${say(field)} of ${of(claim)}, a secret, into its bucket, where anyone can read it; ` +
    `it is to take it out, and the vault to make another`,
  fieldMissing: (claim: SaidClaim, provider: ModuleOn, field: string, type: string) =>
    `${on(provider)} says provided of ${of(claim)}, but gives no ${say(field)} that is ${
      type === "integer" ? "an" : "a"
    } ${type}; ` +
    `it waits for that field`,
  credential: (field: string, why: string) => `credential ${say(field)}: ${why}`,
  provided: (claim: SaidClaim, provider: ModuleOn) => `${on(provider)} provides ${of(claim)}`,
  unassigned: (provider: ModuleOn) => `${on(provider)} is to answer and is not assigned; it waits for its assignment`,
  lost: (provider: ModuleOn) =>
    `${
      say(provider.node)
    }, where ${provider.module} is to answer, is not heard of; it waits for the controller to hear of the node again`,
  noHave: (provider: ModuleOn, wrong: string | undefined) =>
    `nothing is known of how ${on(provider)} runs${
      wrong === undefined ? "" : ` (its have is out of shape: ${wrong})`
    }; ` +
    `it waits for the word of the host of ${say(provider.node)}`,
  otherBuild: (provider: ModuleOn, runs: string, wanted: string) =>
    `${on(provider)} runs build ${say(runs)} and is to run ${say(wanted)}; it waits for that`,
  unhealthy: (provider: ModuleOn, have: Have) =>
    `${on(provider)} is ${have.health}${words(have.words)}; it waits for it to be healthy`,
  healthy: (provider: ModuleOn) => `${on(provider)} runs healthy at its wanted build`
}

const words = (given: string | undefined): string => given === undefined || given === "" ? "" : `: ${quote(given)}`

/** Why an ask has the state it has (protocol §6). */
export const askWhy = {
  wanted: (claim: SaidClaim, provider: ModuleOn) => `${on(claim)} needs ${thing(claim)}, and ${on(provider)} serves it`,
  wantedCredential: (claim: SaidClaim, accepts: ReadonlyArray<ModuleOn>) =>
    `${list(accepts.map(on))} ${accepts.length === 1 ? "accepts" : "accept"} it from ${on(claim)}`,
  heldShape: (claim: SaidClaim) =>
    `a need of ${on(claim)} is out of shape, so nobody can tell whether ${
      thing(claim)
    } is needed; nothing is undone until it is mended`,
  heldNeeded: (claim: SaidClaim) =>
    `${on(claim)} needs ${thing(claim)}, and no other provider provides it yet; it is kept until one does`,
  heldDefinition: (claim: SaidClaim, module: string) =>
    `the definition of ${module} does not say, in shape, how it provides ${
      say(claim.provision)
    }; nothing is undone until it does`,
  answered: (answer: "retire" | "keep", by: string, said: string | undefined) =>
    `${by === "" ? "an operator" : say(by)} answered ${answer}${words(said)}`,
  free: (claim: SaidClaim) => `nobody needs ${of(claim)}, and it can be made again at no loss`,
  unneeded: (claim: SaidClaim, provider: ModuleOn) =>
    `nobody needs ${of(claim)} any more, and ${on(provider)} still has it; answer retire to have it undone, or keep`,
  heldOther: (claim: SaidClaim) =>
    `the vault's seat moved, and its holder is asked for ${thing(claim)} of ${on(claim)}; this one keeps what it has`,
  heldName: (claim: SaidClaim) =>
    `${thing(claim)} of ${on(claim)} does not read as a credential, so nobody can tell what it opens`,
  heldNoBucket: (claim: SaidClaim, module: string) =>
    `the bucket of ${module} is not there, so nobody can tell what ${thing(claim)} of ${on(claim)} still opens`,
  heldOpens: (claim: SaidClaim, module: string) =>
    `${module} still has what ${thing(claim)} of ${
      on(claim)
    } opens, or its entry is out of shape; a secret is undone after what it opens`,
  opened: (claim: SaidClaim, module: string) => `${module} has undone what ${thing(claim)} of ${on(claim)} opened`,
  heldNoVault: () => "seat vault has no holder that could undo it"
}

/** Why a plan has the state it has (protocol §7). */
export const planWhy = {
  unassigned: (consumer: string) => `${consumer} is not assigned; it waits for the controller to assign it`,
  blocked: (key: string, provider: ModuleOn | undefined, why: string) =>
    `${key}${provider === undefined ? "" : ` (${on(provider)})`}: ${why}`,
  more: (count: number) => `and ${count} more`
}

/** Where a thing is found, as a sentence says it. */
export const sayFind = (find: Find): string =>
  "bucket" in find
    ? at(find) + (find.at === undefined ? "" : ` at ${find.at.join(".")}`)
    : `verb ${find.verb} of seat ${find.seat}`
