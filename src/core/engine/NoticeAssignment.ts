/**
 * What a change of an assignment can touch: its consumer's needs, and those whom it provides for.
 */
import type { Fact } from "../Decode.ts"
import type { Assignment } from "../fact/Assignment.ts"
import { isJsonObject, type Json, member, sameJson } from "../Json.ts"
import { placementKinds } from "../Registry.ts"
import type { AskRecord, ClaimRecord, ConsumerRecord } from "./Record.ts"
import { markAsksOfEntry, wholeClaim, type World } from "./World.ts"

type AssignmentFact = Fact<"node" | "module", Assignment> | undefined

/** An assignment changed. */
export const noticeAssignment = (world: World, key: string, before: AssignmentFact, after: AssignmentFact): void => {
  const names = (after ?? before)?.names
  if (names === undefined) {
    return
  }
  noticeAsConsumer(world, world.index.consumer(key), before, after)
  noticeAsProvider(world, key, names.module, before?.value, after?.value)
}

// --- the consumer ------------------------------------------------------------------------------------------------

const noticeAsConsumer = (
  world: World,
  consumer: ConsumerRecord,
  before: AssignmentFact,
  after: AssignmentFact
): void => {
  const { agenda } = world
  const was = before?.value
  const is = after?.value
  if ((was === undefined) !== (is === undefined) || (is === undefined && before?.why !== after?.why)) {
    noticeAssigned(world, consumer)
  }
  if (was?.build !== is?.build) {
    agenda.planAndDigest(consumer)
  }
  if (was?.instance !== is?.instance) {
    noticeInstance(world, consumer)
  }
  noticePins(world, consumer, was?.pins ?? {}, is?.pins ?? {})
  for (const need of was?.placement === is?.placement ? [] : consumer.needs) {
    const { kind = "", name = "" } = need.fact?.names ?? {}
    if (placementKinds.has(kind) && !sameJson(placed(was, kind, name), placed(is, kind, name))) {
      agenda.need(need)
    }
  }
}

const noticeAssigned = ({ agenda }: World, consumer: ConsumerRecord): void => {
  agenda.plan(consumer)
  for (const need of consumer.needs) {
    agenda.need(need)
  }
  for (const claim of consumer.claims) {
    agenda.asks(claim)
  }
}

/** Entries are held against the instance, asks carry it, and what was applied counts by it (protocol §5.2, §5.3, §6). */
const noticeInstance = (world: World, consumer: ConsumerRecord): void => {
  const { agenda, index } = world
  agenda.plan(consumer)
  for (const claim of consumer.claims) {
    if (claim.needRecords.length > 0 && (claim.entries.length > 0 || claim.credentials.length > 0)) {
      agenda.outcome(claim)
    }
    if (claim.asks.length > 0) {
      agenda.asks(claim)
    }
  }
  for (const own of index.facts.applied.value(consumer.key)?.own ?? []) {
    const claim = index.claims.get(`${consumer.key}.${own}`)
    if (claim !== undefined && claim.needRecords.length > 0) {
      agenda.resolution(claim)
    }
  }
}

type Pins = NonNullable<Assignment["pins"]>

const noticePins = ({ agenda, index }: World, consumer: ConsumerRecord, was: Pins, is: Pins): void => {
  for (const pin of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const claim = sameJson(pinAt(was, pin), pinAt(is, pin)) ? undefined : index.claims.get(`${consumer.key}.${pin}`)
    if (claim !== undefined && claim.needRecords.length > 0) {
      agenda.resolution(claim)
    }
  }
}

const pinAt = (pins: Pins, name: string): Pins[string] | undefined => Object.hasOwn(pins, name) ? pins[name] : undefined

const placed = (assignment: Assignment | undefined, kind: string, name: string): Json | undefined => {
  const places = member(assignment?.placement ?? {}, kind)
  return isJsonObject(places) ? member(places, name) : undefined
}

// --- the provider ------------------------------------------------------------------------------------------------

const noticeAsProvider = (
  world: World,
  key: string,
  module: string,
  was: Assignment | undefined,
  is: Assignment | undefined
): void => {
  const { index, touched } = world
  if ((was === undefined) !== (is === undefined)) {
    noticeProviderAssigned(world, key, module, is !== undefined)
  }
  if (was?.build !== is?.build) {
    touched.haves.add(key)
  }
  if ((was === undefined) !== (is === undefined) || (was?.draining === true) !== (is?.draining === true)) {
    for (const provision of index.modules.get(module)?.contested ?? []) {
      provision.touchFit(key)
      touched.provisions.add(provision)
    }
  }
  const provider = index.providerRecords.get(key)
  if (provider !== undefined && !sameJson(was?.placement, is?.placement)) {
    provider.provision = undefined
    world.spreading.over(provider.claims, markOfItself)
  }
}

const markOfItself = ({ agenda }: World, claim: ClaimRecord): void => {
  if (isOfItself(claim.resolution)) {
    agenda.outcome(claim)
  }
}

/** Whether it is the provider's own word that counts for what was resolved, and not an entry. */
const isOfItself = (resolution: ClaimRecord["resolution"]): boolean =>
  (resolution?._tag === "Served" || resolution?._tag === "HolderGone") && resolution.contract?.credential === "none"

/** Who is assigned can serve what it holds; who is not is gone, and so said to be in its asks (protocol §5.2, §6). */
const noticeProviderAssigned = (world: World, key: string, module: string, isAssigned: boolean): void => {
  const { index, spreading } = world
  const record = index.module(module)
  const wasAnywhere = record.assigned.size > 0
  if (isAssigned) {
    record.assigned.add(key)
  } else {
    record.assigned.delete(key)
  }
  const provider = index.providerRecords.get(key)
  if (provider !== undefined) {
    // Where it is placed is known of who is assigned alone, though it may be nowhere.
    provider.provision = undefined
    spreading.over(provider.claims, markHeld)
    spreading.over(provider.asks, markAsksOfAsk)
  }
  if (wasAnywhere !== record.assigned.size > 0 && index.facts.modules.value(module) === undefined) {
    for (const offer of record.offers.values()) {
      spreading.over(offer.entries, markAsksOfEntry)
    }
  }
  index.dropModule(module, record)
}

const markHeld = (world: World, claim: ClaimRecord): void => {
  if (claim.resolution?._tag !== "Served" || claim.resolution.isHeld) {
    wholeClaim(world, claim)
  }
}

const markAsksOfAsk = ({ agenda }: World, { claim }: AskRecord): void => agenda.asks(claim)
