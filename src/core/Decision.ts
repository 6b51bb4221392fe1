/**
 * What the provisioner writes (protocol §4 to §7), as plain data: registry entries, provisions, asks and plans.
 */
import type { Json } from "./Json.ts"

/** A module on a node. */
export type ModuleOn = { readonly node: string; readonly module: string }

/** The fact whose change is waited for (protocol §5). */
export type Waits = { readonly bucket: string; readonly key: string }

/** Where a client finds a value: in a bucket, or by asking a seat's verb (protocol §4, §5.1). */
export type Find =
  | {
    readonly bucket: string
    readonly key: string
    readonly at?: ReadonlyArray<string>
    readonly credentials?: { readonly [field: string]: SeatFind }
  }
  | SeatFind

/** Where a client asks for a value: a verb of a seat's holder. */
export type SeatFind = {
  readonly seat: string
  readonly verb: string
  readonly request?: { readonly [name: string]: string }
}

/** Which domain answers a kind of need (protocol §4). */
export type RegistryEntry = { readonly kind: string; readonly module: string; readonly find: Find }

/** The four states of a provision (protocol §5). */
export type ProvisionState = "provided" | "asked" | "failed" | "refused"

/** The codes behind a provision's state, for programs (protocol §5.1 to §5.3). */
export type Reason =
  | "shape"
  | "unassigned"
  | "no-domain"
  | "conflict"
  | "too-long"
  | "entry"
  | "default"
  | "no-entry"
  | "collection"
  | "placed"
  | "not-placed"
  | "no-holder"
  | "two-holders"
  | "bound-shape"
  | "holder-gone"
  | "own"
  | "nobody"
  | "no-candidate"
  | "unmet"
  | "not-bound"
  | "bound-elsewhere"
  | "earlier-instance"
  | "provider-failed"
  | "making"
  | "secret-in-bucket"
  | "field-missing"
  | "credential"
  | "credential-failed"
  | "provided"
  | "lost"
  | "no-have"
  | "other-build"
  | "unhealthy"
  | "healthy"

/** Why a candidate does not serve a claim (protocol §5.2). */
export type CandidateReason = "seat" | "pin" | "contract" | "field" | "draining"

/** A module on a node that could have served a claim, and why it does not. */
export type Candidate = {
  readonly node: string
  readonly module: string
  readonly reason: CandidateReason
  readonly why: string
}

/** The decision on one need (protocol §5). */
export type Provision = {
  readonly kind: string
  readonly state: ProvisionState
  readonly reason: Reason
  readonly why: string
  readonly provider?: ModuleOn
  readonly find?: Find
  readonly waits?: Waits
  readonly candidates?: ReadonlyArray<Candidate>
  readonly version?: string
}

/** What a need came to, before where it is found is said with it (protocol §5.1 to §5.3). */
export type Outcome = Pick<Provision, "state" | "reason" | "why" | "waits" | "candidates">

/** What is asked of a provider for a claim (protocol §6). */
export type AskState = "wanted" | "held" | "unneeded" | "kept" | "retire"

/** What the provisioner asks of one provider on one node for one claim (protocol §6). */
export type Ask = {
  readonly state: AskState
  readonly why: string
  readonly for?: string
  readonly contract?: ReadonlyArray<string>
  readonly fields?: ReadonlyArray<string>
  readonly accepts?: ReadonlyArray<ModuleOn>
  readonly gone?: true
}

/** The five states of a plan (protocol §7). */
export type PlanState = "ready" | "waiting" | "failed" | "refused" | "degraded"

/** What a plan says of one need: its provision's, without its words (protocol §7). */
export type PlanNeed = Pick<Provision, "state" | "find" | "provider" | "version">

/** Everything that a module on a node needs, where each is found, and whether it may run (protocol §7). */
export type Plan = {
  readonly build?: string
  readonly state: PlanState
  readonly why: string
  readonly waits?: Waits
  readonly blocked?: ReadonlyArray<string>
  readonly needs: { readonly [need: string]: PlanNeed }
  readonly digest: string
}

/** A fact out of shape (protocol §3). */
export type OutOfShape = { readonly bucket: string; readonly key: string; readonly why: string }

/** An answer of a definition that does not stand (protocol §4). */
export type Conflict = { readonly kind: string; readonly module: string; readonly why: string }

/** Everything that `decide` decides, each bucket by key. */
export interface Decisions {
  readonly registry: ReadonlyMap<string, RegistryEntry>
  readonly provisions: ReadonlyMap<string, Provision>
  readonly asks: ReadonlyMap<string, Ask>
  readonly plans: ReadonlyMap<string, Plan>
  /** Keys of the answers that no longer count, to be deleted (protocol §6). */
  readonly answersToDelete: ReadonlyArray<string>
  readonly outOfShape: ReadonlyArray<OutOfShape>
  readonly conflicts: ReadonlyArray<Conflict>
  /** How many there are of each, where that is kept up as they change; else they are to be counted. */
  readonly counts?: DecisionCounts
}

/** How many decisions are in each state, and how many facts of each bucket are out of shape; what there is none of is left out. */
export interface DecisionCounts {
  readonly provisions: ReadonlyMap<string, number>
  readonly asks: ReadonlyMap<string, number>
  readonly plans: ReadonlyMap<string, number>
  readonly outOfShape: ReadonlyMap<string, number>
}

/** The decided values of one bucket, by key: as a bus or a file holds them. */
export type DecidedValues = ReadonlyMap<string, Json>
