/**
 * Decides for one consumer what is due: who serves its claims, what its needs come to, what is asked, and its plan, in this
 * order, by the rules themselves. What comes out as it was is not said.
 */
import { asksOfClaim, isAnswerOver, standingOf } from "../Ask.ts"
import { bucketName } from "../BucketName.ts"
import { asksOfCredential, wantedCredentials } from "../CredentialAsk.ts"
import { sameJson } from "../Json.ts"
import { type Asked, isOfCredential } from "../Made.ts"
import { planBy, planHeadOf, samePlanNeed } from "../Plan.ts"
import { provisionOf } from "../Provision.ts"
import { resolutionOf, settle, type SettledClaim } from "../Settle.ts"
import { putIn, takeOut } from "./Dense.ts"
import { fewOf } from "./Few.ts"
import { linkOpened, linkResolution } from "./Links.ts"
import {
  AskRecord,
  claimDue,
  type ClaimRecord,
  type ConsumerRecord,
  type Due,
  type NeedRecord,
  plannedOf
} from "./Record.ts"
import { sameResolution } from "./Same.ts"
import type { World } from "./World.ts"

/** Decides for one consumer what is due. */
export const settleConsumer = (world: World, consumer: ConsumerRecord): void => {
  const { agenda, index } = world
  const due = agenda.consumer(consumer)
  for (const { claim } of due.needs ?? nothing) {
    if (claim !== undefined) {
      agenda.someNeeds(claim)
    }
  }
  for (const claim of due.claims ?? nothing) {
    settleClaim(world, due, claim)
  }
  for (const need of due.needs ?? nothing) {
    if (need.isDue) {
      settleNeed(world, due, need, undefined)
    }
  }
  // What is asked of a claim calls for credentials, whose asks come last.
  for (const claim of due.asks ?? nothing) {
    settleAsks(world, claim)
  }
  for (const claim of due.credentialAsks ?? nothing) {
    settleAsks(world, claim)
  }
  if (due.plan) {
    settlePlan(world, consumer, due)
  }
  consumer.due = undefined
  dropClaims(index, due.claims)
  dropClaims(index, due.asks)
  dropClaims(index, due.credentialAsks)
  index.dropConsumer(consumer)
}

const nothing: ReadonlyArray<never> = []

const dropClaims = (index: World["index"], claims: ReadonlyArray<ClaimRecord> = nothing): void => {
  for (const claim of claims) {
    index.dropClaim(claim)
  }
}

// --- claims and needs --------------------------------------------------------------------------------------------

const settleClaim = (world: World, due: Due, claim: ClaimRecord): void => {
  const { agenda, index, said } = world
  const bits = claim.due
  claim.due = 0
  if (claim.needsOfIt === undefined) {
    forget(index, claim)
    return
  }
  let isOther = false
  if (!claim.isSettled || (bits & claimDue.resolution) !== 0) {
    said.computed.claims += 1
    const resolution = resolutionOf(index, claim)
    isOther = !claim.isSettled || !sameResolution(claim.resolution, resolution)
    if (isOther) {
      claim.isSettled = true
      linkResolution(index, claim, resolution)
    }
  }
  const settled = settle(index, claim, claim.resolution)
  claim.tooLong = settled.tooLong
  const isEvery = isOther || (bits & claimDue.everyNeed) !== 0
  let isChanged = false
  for (const need of claim.needRecords) {
    if (isEvery || need.isDue) {
      isChanged = settleNeed(world, due, need, settled) || isChanged
    }
  }
  // How the needs stand counts for what is asked of makers, but for what is wanted of them (protocol §6).
  if (isOther || (isChanged && claim.asks.some(({ ask }) => ask.state !== "wanted"))) {
    agenda.asks(claim)
  }
}

/** No need is of a claim any more. */
const forget = (index: World["index"], claim: ClaimRecord): void => {
  claim.isSettled = false
  claim.tooLong = false
  linkResolution(index, claim, undefined)
}

/** Decides on one need, and says whether that is another decision. */
const settleNeed = (
  { index, said }: World,
  due: Due,
  need: NeedRecord,
  settled: SettledClaim | undefined
): boolean => {
  const { fact, key, provision: before } = need
  need.isDue = false
  if (fact === undefined) {
    index.needs.delete(key)
    need.consumer.removeNeed(need)
    if (before !== undefined) {
      index.counts.provisions.move(before.state, undefined)
      index.orders.remove(bucketName.provisions, key)
      said.delete("provisions", key)
      due.planNeeds = true
    }
    due.plan = true
    due.digest = true
    return true
  }
  said.computed.provisions += 1
  const after = provisionOf(index, settled, fact, need.consumer.key)
  if (!said.put("provisions", key, before, after)) {
    return false
  }
  need.provision = after
  index.counts.provisions.move(before?.state, after.state)
  if (before === undefined) {
    index.orders.add(bucketName.provisions, key)
  }
  due.plan = true
  due.planNeeds ||= before === undefined || !samePlanNeed(before, after)
  due.digest ||= before === undefined || before.version !== after.version || !sameJson(before.find, after.find)
  return true
}

// --- asks --------------------------------------------------------------------------------------------------------

const settleAsks = (world: World, claim: ClaimRecord): void => {
  const { index, said } = world
  claim.areAsksDue = false
  if (!isAskedAbout(claim)) {
    return
  }
  const needed = claim.isSettled ? claim : undefined
  const standing = standingOf(claim.needRecords.map(({ provision }) => provision))
  const isCredential = claim.provision === "credential"
  const ofClaim = asksOfClaim(index, needed, needed, standing, claim.entries)
  const asks = isCredential
    ? [...ofClaim, ...asksOfCredential(index, claim, claim.accepts, claim.entries.find(isOfCredential))]
    : ofClaim
  said.computed.asks += asks.length
  keepAsks(world, claim, asks)
  if (!isCredential) {
    keepWanted(world, claim, asks)
  }
  for (const answer of claim.answers?.values() ?? nothing) {
    if (!isAnswerOver(index, answer, index.asks.get(answer.key)?.ask)) {
      index.answersOver.delete(answer.key)
    } else if (!index.answersOver.has(answer.key)) {
      index.answersOver.add(answer.key)
      said.delete("answers", answer.key)
    }
  }
}

/** Whether anything is or was asked about a claim: nothing of a provider that is judged by its own have. */
const isAskedAbout = (claim: ClaimRecord): boolean => {
  const { answers, asksOfIt, entriesOfIt, isSettled, provision, resolution } = claim
  return entriesOfIt !== undefined || asksOfIt !== undefined || answers !== undefined || provision === "credential" ||
    (isSettled && (provision === "secret" ||
      (resolution?._tag === "Served" && resolution.contract.credential === "consumer")))
}

const keepAsks = (world: World, claim: ClaimRecord, asks: ReadonlyArray<Asked>): void => {
  const { index, said } = world
  const before = claim.asks
  const [first] = before
  const records: Array<AskRecord> = []
  for (const asked of asks) {
    const known = first?.key === asked.key ? first : index.asks.get(asked.key)
    records.push(keepAsk(world, claim, known, asked))
  }
  if (before.length > 0 && !(before.length === 1 && records.length === 1 && first === records[0])) {
    const kept = new Set(records)
    for (const record of before) {
      if (!kept.has(record)) {
        said.delete("asks", record.key)
        index.asks.delete(record.key)
        index.counts.asks.move(record.ask.state, undefined)
        index.orders.remove(bucketName.asks, record.key)
        takeOut(record.provider.asks, record, "providerAt")
        index.dropProvider(record.provider)
      }
    }
  }
  claim.asksOfIt = fewOf(records.length > 1 ? records.slice() : records)
}

const keepAsk = (
  { index, said }: World,
  claim: ClaimRecord,
  known: AskRecord | undefined,
  { ask, key, providerKey }: Asked
): AskRecord => {
  const record = known ?? new AskRecord(key, claim, index.provider(providerKey), ask)
  if (said.put("asks", key, known?.ask, ask)) {
    index.counts.asks.move(known?.ask.state, ask.state)
    record.ask = ask
  }
  if (known === undefined) {
    index.asks.set(key, record)
    index.orders.add(bucketName.asks, key)
    putIn(record.provider.asks, record, "providerAt")
  }
  return record
}

/** Keeps which credentials the asks of a claim call for (protocol §6.1). */
const keepWanted = ({ agenda, index }: World, claim: ClaimRecord, asks: ReadonlyArray<Asked>): void => {
  if (asks.length === 0 && claim.credentialsOfIt === undefined) {
    return
  }
  const wanted = wantedCredentials(index, asks)
  for (const [key, now] of wanted) {
    const { local, provision } = now.credential
    const credential = index.claim(key, claim.consumer, { provision, local })
    if (credential.opened === undefined) {
      linkOpened(credential, claim)
    }
    if (!sameJson(credential.accepts, now.accepts)) {
      credential.accepts = now.accepts
      agenda.asks(credential)
    }
  }
  for (const credential of claim.credentials) {
    if (credential.accepts !== undefined && !wanted.has(credential.key)) {
      credential.accepts = undefined
      agenda.asks(credential)
    }
  }
}

// --- plans -------------------------------------------------------------------------------------------------------

const settlePlan = ({ index, said }: World, consumer: ConsumerRecord, due: Due): void => {
  const { key, needs, planHead: before } = consumer
  if (needs.length === 0 && index.facts.assignments.value(key) === undefined) {
    if (before !== undefined) {
      consumer.planHead = undefined
      index.counts.plans.move(before.state, undefined)
      index.orders.remove(bucketName.plans, key)
      said.delete("plans", key)
    }
    return
  }
  said.computed.plans += 1
  const planned = plannedOf(needs)
  const after = planHeadOf(index, key, planned, due.digest ? undefined : before?.digest)
  if (due.planNeeds || !sameJson(before, after)) {
    consumer.planHead = after
    index.counts.plans.move(before?.state, after.state)
    if (before === undefined) {
      index.orders.add(bucketName.plans, key)
    }
    said.write("plans", key, planBy(after, planned))
  }
}
