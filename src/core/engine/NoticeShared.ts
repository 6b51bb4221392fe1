/**
 * What a change of what many share can touch: of a machine, a seat, a provider's have, a module's definition.
 */
import type { ModuleOn } from "../Decision.ts"
import type { Fact } from "../Decode.ts"
import { type Definition, hasBrokenProvision, type ProvisionContract } from "../fact/Definition.ts"
import type { Machine } from "../fact/Machine.ts"
import type { Seat } from "../fact/Seat.ts"
import { sameJson } from "../Json.ts"
import { writeKey } from "../Key.ts"
import { holderBy } from "../Mesh.ts"
import { addIn, removeFrom } from "./Index.ts"
import type { ClaimRecord, ConsumerRecord, EntryRecord, OfferRecord } from "./Record.ts"
import { sameContract } from "./Same.ts"
import { markAsksOfEntry, markEntry, markNeed, type World } from "./World.ts"

// --- machines ----------------------------------------------------------------------------------------------------

/** A machine changed, by the token of its node. */
export const noticeMachine = (
  world: World,
  node: string,
  before: Fact<"node", Machine> | undefined,
  after: Fact<"node", Machine> | undefined
): void => {
  const isLost = (before?.value?.lost === true) !== (after?.value?.lost === true)
  const was = before?.value?.site
  const is = after?.value?.site
  if (isLost || was !== is) {
    for (const onNode of world.index.nodes.get(node) ?? []) {
      noticeCandidate(world, onNode, isLost, was, is)
      if (was !== is) {
        noticeSite(world, onNode)
      }
    }
  }
}

const noticeCandidate = (
  { index, touched }: World,
  { key, module }: ConsumerRecord,
  isLost: boolean,
  was: string | undefined,
  is: string | undefined
): void => {
  if (isLost) {
    touched.haves.add(key)
  }
  const isAssigned = index.facts.assignments.value(key) !== undefined
  for (const provision of isAssigned ? index.modules.get(module)?.contested ?? [] : []) {
    touched.provisions.add(provision)
    if (isLost) {
      provision.touchRank(key)
    }
    if (was !== is) {
      provision.touchSite(key, was, is)
    }
  }
}

/** Where a consumer is counts for which of the candidates elsewhere comes first (protocol §5.2). */
const noticeSite = ({ agenda }: World, consumer: ConsumerRecord): void => {
  for (const claim of consumer.claims) {
    const { resolution } = claim
    if (resolution?._tag === "Served" && !resolution.isHeld && resolution.provider.node !== consumer.node) {
      agenda.resolution(claim)
    }
  }
}

// --- seats -------------------------------------------------------------------------------------------------------

/** A seat changed. */
export const noticeSeat = (
  world: World,
  before: Fact<"seat", Seat> | undefined,
  after: Fact<"seat", Seat> | undefined
): void => {
  const seat = (after ?? before)?.names?.seat
  if (seat === undefined) {
    return
  }
  const { index } = world
  index.holders.delete(seat)
  const was = holderBy(seat, before)
  const is = holderBy(seat, after)
  if (sameJson({ ...was.holder, wrong: was.wrong ?? "" }, { ...is.holder, wrong: is.wrong ?? "" })) {
    return
  }
  noticeHeld(world, seat, was.holder, is.holder)
  noticeSeatsNeeds(world, seat)
  for (const offer of index.offersBySeat.get(seat) ?? []) {
    noticeOffersSeat(world, offer, [was.holder, is.holder])
  }
  if (seat === "vault") {
    noticeVault(world)
  }
}

const noticeHeld = ({ index }: World, seat: string, was: ModuleOn | undefined, is: ModuleOn | undefined): void => {
  if (was !== undefined) {
    const key = writeKey(was.node, was.module)
    const provider = index.providerRecords.get(key)
    removeFrom(index.seatsHeld, key, seat)
    if (provider !== undefined) {
      index.dropProvider(provider)
    }
  }
  if (is !== undefined) {
    addIn(index.seatsHeld, writeKey(is.node, is.module), seat)
  }
}

/** The needs of every kind that a seat's verb answers. */
export const noticeSeatsNeeds = ({ index, spreading }: World, seat: string): void => {
  for (const [kind, needs] of index.needsByKind) {
    const find = index.registry.entries.get(kind)?.find
    if (find !== undefined && "seat" in find && find.seat === seat) {
      spreading.over(needs, markNeed)
    }
  }
}

/** Those whom it holds something for have an entry; the others are served by it as a candidate. */
const noticeOffersSeat = (
  world: World,
  { entries, module, provision }: OfferRecord,
  holders: ReadonlyArray<ModuleOn | undefined>
): void => {
  const record = world.index.provision(provision)
  record.touchSeat()
  world.touched.provisions.add(record)
  const ofModule = holders.flatMap((holder) => holder?.module === module ? [writeKey(holder.node, module)] : [])
  for (const holder of ofModule) {
    record.touchFit(holder)
  }
  if (ofModule.length > 0) {
    world.spreading.over(entries, markEntry)
  }
}

/** Whoever holds seat `vault` is asked for every secret and credential (protocol §6.1). */
const noticeVault = (world: World): void => {
  const { index, spreading } = world
  const secrets = index.provisions.get("secret")
  if (secrets !== undefined) {
    spreading.over(secrets.unheld, markSecret)
  }
  for (const provision of ["secret", "credential"] as const) {
    const offer = index.vaultOffer(provision)
    if (offer !== undefined) {
      spreading.over(offer.entries, markAsksOfEntry)
    }
  }
  for (const offer of index.secretOffers) {
    noticeOffersVault(world, offer)
  }
}

const noticeOffersVault = ({ spreading }: World, { claims, entries }: OfferRecord): void => {
  spreading.over(claims, markOpened)
  spreading.over(entries, markCredentialsOfEntry)
}

const markSecret = ({ agenda }: World, claim: ClaimRecord): void => {
  agenda.outcome(claim)
  agenda.asks(claim)
}

const markOpened = (world: World, claim: ClaimRecord): void => {
  world.agenda.outcome(claim)
  markCredentials(world, claim)
}

const markCredentialsOfEntry = (world: World, { claim }: EntryRecord): void => markCredentials(world, claim)

const markCredentials = ({ agenda }: World, claim: ClaimRecord): void => {
  agenda.asks(claim)
  claim.credentials.forEach((credential) => agenda.asks(credential))
}

// --- definitions -------------------------------------------------------------------------------------------------

/** A module's definition changed. */
export const noticeDefinition = (
  world: World,
  module: string,
  before: Fact<"module", Definition> | undefined,
  after: Fact<"module", Definition> | undefined
): void => {
  const { index, touched } = world
  const was = before?.value
  const is = after?.value
  if (!sameAnswers(was, is)) {
    touched.registry = true
  }
  const record = index.module(module)
  const provisions = new Set([...was?.provides.keys() ?? [], ...is?.provides.keys() ?? [], ...record.offers.keys()])
  for (const provision of provisions) {
    if (!sameStanding(was, is, provision)) {
      noticeProvision(world, index.offer(module, provision), was?.provides.get(provision), is?.provides.get(provision))
    }
  }
  index.dropModule(module, record)
}

/** Whether a definition says the same of a provision, or there is none as before. */
const sameStanding = (was: Definition | undefined, is: Definition | undefined, provision: string): boolean =>
  (was === undefined) === (is === undefined) &&
  (was !== undefined && hasBrokenProvision(was, provision)) ===
    (is !== undefined && hasBrokenProvision(is, provision)) &&
  sameContract(was?.provides.get(provision), is?.provides.get(provision))

const sameAnswers = (was: Definition | undefined, is: Definition | undefined): boolean =>
  sameJson(Object.fromEntries(was?.answers ?? []), Object.fromEntries(is?.answers ?? []))

const noticeProvision = (
  world: World,
  offer: OfferRecord,
  was: ProvisionContract | undefined,
  is: ProvisionContract | undefined
): void => {
  const { index, touched } = world
  const { entries, module } = offer
  if (was?.seat !== undefined) {
    removeFrom(index.offersBySeat, was.seat, offer)
  }
  if (is?.seat !== undefined) {
    addIn(index.offersBySeat, is.seat, offer)
  }
  if (is !== undefined && is.secretFields.length > 0) {
    noticeSecretOffer(world, offer)
  } else {
    index.secretOffers.delete(offer)
  }
  if (was !== undefined || is !== undefined) {
    const provision = index.provision(offer.provision)
    provision.setModule(module, index.module(module), is !== undefined)
    touched.provisions.add(provision)
  }
  world.spreading.over(entries, markEntry)
  index.dropOffer(offer)
}

/** A provision's contract has secret fields. While it had none, a change of seat `vault` was not noticed for it. */
const noticeSecretOffer = (world: World, offer: OfferRecord): void => {
  const { secretOffers } = world.index
  if (!secretOffers.has(offer)) {
    secretOffers.add(offer)
    noticeOffersVault(world, offer)
  }
}
