/**
 * What the engine remembers of each thing: what it was decided, and what reads it. Records refer to each other, so that a
 * change finds all that it can touch without looking for it. None of them is ever handed out.
 */
import type { AskPart } from "../Bucket.ts"
import type { Ask, ModuleOn, Outcome, Plan, Provision } from "../Decision.ts"
import type { NamedFact, SoundFact } from "../Decode.ts"
import type { Answer } from "../fact/Answer.ts"
import type { Bound } from "../fact/Bound.ts"
import type { Json } from "../Json.ts"
import type { Claim, Collection, Entry, NeedFact, SoundNeed } from "../Mesh.ts"
import { counts, planBy, type PlanHead, type PlannedNeed } from "../Plan.ts"
import type { Resolution } from "../Resolve.ts"
import type { ProvisionRecord } from "./Candidates.ts"
import { nowhere } from "./Dense.ts"
import { type Few, listOf } from "./Few.ts"
import { placeOf, withAt } from "./InOrder.ts"

/** A module on a node as a consumer, by the key of its assignment: all that is decided is decided of one. */
export class ConsumerRecord implements ModuleOn {
  readonly key: string
  readonly node: string
  readonly module: string
  /** In the order of its plan. */
  needs: Array<NeedRecord> = []
  /** The claims of its needs, and those that an entry or an answer speaks of. */
  claims: Array<ClaimRecord> = []
  /** How many of its needs are out of shape, key or value. */
  brokenNeeds = 0
  planHead: PlanHead | undefined
  /** What is to be decided anew, if anything is. */
  due: Due | undefined

  constructor(key: string, { module, node }: ModuleOn) {
    this.key = key
    this.node = node
    this.module = module
  }

  /** Its plan, put together anew: what it says of each need is kept with the need alone. */
  get plan(): Plan | undefined {
    return this.planHead && planBy(this.planHead, plannedOf(this.needs))
  }

  /** A need of it is there. */
  addNeed(need: NeedRecord): void {
    this.needs = withAt(this.needs, placeOf(this.needs, need.planKey, planKeyOfNeed), need)
  }

  /** A need of it is gone. */
  removeNeed(need: NeedRecord): void {
    const at = placeOf(this.needs, need.planKey, planKeyOfNeed)
    this.needs.splice(at, this.needs[at] === need ? 1 : 0)
  }
}

/** What is to be decided anew for one consumer. */
export class Due {
  needs: Array<NeedRecord> | undefined
  claims: Array<ClaimRecord> | undefined
  asks: Array<ClaimRecord> | undefined
  credentialAsks: Array<ClaimRecord> | undefined
  plan = false
  /** Whether the plan says something else of a need. */
  planNeeds = false
  /** Whether something may have changed that the plan's digest is over. */
  digest = false
}

/** A need whose key is in shape, and the decision on it. */
export class NeedRecord {
  readonly key: string
  /** Its key in the plan. */
  readonly planKey: string
  readonly consumer: ConsumerRecord
  /** None once the need is gone, and till that is decided. */
  fact: NeedFact | undefined
  claim: ClaimRecord | undefined
  provision: Provision | undefined
  isDue = false
  claimAt = nowhere

  constructor(key: string, planKey: string, consumer: ConsumerRecord) {
    this.key = key
    this.planKey = planKey
    this.consumer = consumer
  }

  get counts(): boolean {
    return counts(this.fact)
  }
}

const planKeyOfNeed = ({ planKey }: NeedRecord): string => planKey

/** The needs that are decided on, in the same order. */
export const plannedOf = (needs: ReadonlyArray<NeedRecord>): ReadonlyArray<PlannedNeed> =>
  needs.every(isPlanned) ? needs : needs.filter(isPlanned)

const isPlanned = (need: NeedRecord): need is NeedRecord & PlannedNeed => need.provision !== undefined

/** A bound entry of a claim. */
export class EntryRecord implements Entry {
  readonly module: string
  readonly claim: ClaimRecord
  readonly offer: OfferRecord
  fact: NamedFact<"node" | "module" | "provision", Bound>
  offerAt = nowhere

  constructor(offer: OfferRecord, claim: ClaimRecord, fact: EntryRecord["fact"]) {
    this.module = offer.module
    this.offer = offer
    this.claim = claim
    this.fact = fact
  }
}

/** An ask of a provider for a claim. */
export class AskRecord {
  readonly key: string
  readonly claim: ClaimRecord
  readonly provider: ProviderRecord
  ask: Ask
  providerAt = nowhere

  constructor(key: string, claim: ClaimRecord, provider: ProviderRecord, ask: Ask) {
    this.key = key
    this.claim = claim
    this.provider = provider
    this.ask = ask
  }
}

/** An answer in shape. */
export type AnswerFact = SoundFact<AskPart, Answer>

/** What a claim has to have decided anew: bits that add up. */
export const claimDue = {
  /** Those of its needs that are due themselves. */
  someNeeds: 1,
  everyNeed: 2,
  resolution: 4
} as const

/** A claim that a need is of, or of which an entry or an answer speaks: how it was settled, and what is asked for it. */
export class ClaimRecord implements Claim {
  readonly key: string
  readonly of: ConsumerRecord
  readonly provision: string
  readonly local: string | undefined
  needsOfIt: Few<NeedRecord>
  /** In the order of their modules. */
  entriesOfIt: Few<EntryRecord>
  /** By key. */
  answers: Map<string, AnswerFact> | undefined
  asksOfIt: Few<AskRecord>
  /** Whether it was settled, and by what: a secret's claim has no resolution. */
  isSettled = false
  resolution: Resolution | undefined
  tooLong = false
  provider: ProviderRecord | undefined
  offer: OfferRecord | undefined
  /** The claims of its credentials: those that it calls for, and those of which the vault has an entry. */
  credentialsOfIt: Few<ClaimRecord>
  /** Of a credential: the claim that it opens, where its name reads as one's. */
  opened: ClaimRecord | undefined
  /** Of a credential that is wanted: who accepts it. */
  accepts: ReadonlyArray<ModuleOn> | undefined
  due = 0
  areAsksDue = false
  consumerAt = nowhere
  openedAt = nowhere
  unheldAt = nowhere
  providerAt = nowhere
  offerAt = nowhere

  constructor(key: string, of: ConsumerRecord, provision: string, local: string | undefined) {
    this.key = key
    this.of = of
    this.provision = provision
    this.local = local
  }

  get node(): string {
    return this.of.node
  }

  get module(): string {
    return this.of.module
  }

  get consumer(): string {
    return this.of.key
  }

  get needRecords(): ReadonlyArray<NeedRecord> {
    return listOf(this.needsOfIt)
  }

  get credentials(): ReadonlyArray<ClaimRecord> {
    return listOf(this.credentialsOfIt)
  }

  get entries(): ReadonlyArray<EntryRecord> {
    return listOf(this.entriesOfIt)
  }

  get asks(): ReadonlyArray<AskRecord> {
    return listOf(this.asksOfIt)
  }

  get needs(): ReadonlyArray<SoundNeed> {
    const few = this.needsOfIt
    return few instanceof NeedRecord && isSoundNeed(few.fact)
      ? [few.fact]
      : this.needRecords.flatMap(({ fact }) => isSoundNeed(fact) ? [fact] : [])
  }
}

/** Whether a need is there and in shape. */
export const isSoundNeed = (need: NeedFact | undefined): need is SoundNeed => need?.value !== undefined

/** A module on a node as a provider. */
export class ProviderRecord {
  readonly key: string
  /** It, as decisions name it: handed out, and shared by all of them. */
  readonly on: ModuleOn
  /** The claims that it serves, or is to serve. */
  readonly claims: Array<ClaimRecord> = []
  readonly asks: Array<AskRecord> = []
  /** What a claim that it serves came to last: others that come to the same share it. */
  served: Resolution | undefined
  /** Its own outcome, once something reads it. */
  have: Outcome | undefined
  /** The decision on each need that it meets by its own outcome. */
  provision: Provision | undefined

  constructor(key: string, on: ModuleOn) {
    this.key = key
    this.on = on
  }
}

/** A provision of one module: of its definition, or of an entry in its bucket. */
export class OfferRecord {
  readonly module: string
  readonly provision: string
  readonly entries: Array<EntryRecord> = []
  /** The claims that the module serves, or is to serve. */
  readonly claims: Array<ClaimRecord> = []

  constructor(module: string, provision: string) {
    this.module = module
    this.provision = provision
  }
}

/** A module: where it is assigned, and its provisions. */
export class ModuleRecord {
  /** The provisions of its definition of which some claims are the candidates' to serve. */
  readonly contested = new Set<ProvisionRecord>()
  /** The keys of its assignments in shape. */
  readonly assigned = new Set<string>()
  readonly offers = new Map<string, OfferRecord>()
}

/** The items of a collection on one node, and the needs that read it. */
export class CollectionRecord {
  readonly items = new Map<string, Json>()
  readonly readers = new Set<NeedRecord>()
  made: Collection | undefined
}
