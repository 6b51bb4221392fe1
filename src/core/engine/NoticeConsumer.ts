/**
 * What a change of a consumer's own facts can touch: of its needs and what they read, its bound entries, what it applied, and
 * the answers about it.
 */
import * as Result from "effect/Result"
import type { AskPart } from "../Bucket.ts"
import { type Fact, isNamed, isSound } from "../Decode.ts"
import type { Answer } from "../fact/Answer.ts"
import type { Applied } from "../fact/Applied.ts"
import type { Bound } from "../fact/Bound.ts"
import type { Need } from "../fact/Need.ts"
import { type Json, sameJson } from "../Json.ts"
import { assignmentKeyOf, consumerOfBrokenKey, writeKey } from "../Key.ts"
import { addressedByDefinition } from "../OutOfShape.ts"
import { planKeyOf, runsByAPlan } from "../Plan.ts"
import { isCompiledIn, namedCollectionKinds } from "../Registry.ts"
import { addIn, type Index, removeFrom, strangerId } from "./Index.ts"
import { isVaultsCredential, linkCredential, linkEntry, linkNeed, openedModule } from "./Links.ts"
import { type AnswerFact, isSoundNeed, NeedRecord } from "./Record.ts"
import { claimsNeeds, markAsksOfEntry, markNeed, noteOutOfShape, type World } from "./World.ts"

type NeedFact = Fact<"node" | "module" | "kind" | "name", Need>

/** A need changed. */
export const noticeNeed = (
  world: World,
  key: string,
  before: NeedFact | undefined,
  after: NeedFact | undefined
): void => {
  const { agenda, index } = world
  noticeBroken(world, key, before, after)
  const names = (after ?? before)?.names
  if (names === undefined) {
    return
  }
  const need = index.needs.get(key) ?? addedNeed(index, key, assignmentKeyOf(key))
  stopReading(world, need)
  need.fact = after !== undefined && isNamed(after) ? after : undefined
  startReading(world, need)
  for (const claim of linkNeed(index, need)) {
    agenda.resolution(claim)
    agenda.asks(claim)
  }
  agenda.need(need)
  if ((before?.value?.optional === true) !== (after?.value?.optional === true)) {
    agenda.plan(need.consumer)
  }
}

const addedNeed = (index: Index, key: string, consumer: string): NeedRecord => {
  const planKey = index.facts.names.share(planKeyOf(consumer, key))
  const need = new NeedRecord(key, planKey, index.consumer(consumer))
  index.needs.set(key, need)
  need.consumer.addNeed(need)
  return need
}

/** What was made for a consumer is held while one of its needs is out of shape (protocol §6). */
const noticeBroken = (
  { agenda, index }: World,
  key: string,
  before: NeedFact | undefined,
  after: NeedFact | undefined
): void => {
  const isBroken = after !== undefined && after.value === undefined
  const consumerKey = isBroken === (before !== undefined && before.value === undefined)
    ? undefined
    : consumerOfBrokenKey(key)
  if (consumerKey === undefined) {
    return
  }
  const consumer = index.consumer(consumerKey)
  const wasHeld = consumer.brokenNeeds > 0
  consumer.brokenNeeds += isBroken ? 1 : -1
  agenda.consumer(consumer)
  for (const claim of wasHeld === consumer.brokenNeeds > 0 ? [] : consumer.claims) {
    if (claim.entries.length > 0) {
      agenda.asks(claim)
    }
  }
}

/** Has a need found by what it reads beside its claim: its collection, or by its kind, and the entry that it addresses. */
const startReading = (world: World, need: NeedRecord): void => {
  const { index } = world
  const { fact } = need
  if (!isSoundNeed(fact)) {
    return
  }
  const { kind } = fact.names
  const collection = collectionRead(fact.names)
  if (collection !== undefined) {
    index.collection(collection).readers.add(need)
  } else if (isFoundByKind(kind)) {
    addIn(index.needsByKind, kind, need)
    readByRegistry(world, need)
  }
}

/** Has a need found by the entry that it addresses as the registry is now, and no more by what it addressed before. */
export const readByRegistry = (world: World, need: NeedRecord): void => {
  const { index } = world
  const { fact } = need
  const before = index.strangersRead.get(need)
  if (before !== undefined) {
    index.strangersRead.delete(need)
    removeFrom(index.strangersReaders, strangerId(before.bucket, before.key), need)
    noteStranger(world, before.bucket, before.key)
  }
  const after = isSoundNeed(fact) ? addressedByDefinition(index.registry, fact) : undefined
  if (after !== undefined) {
    index.strangersRead.set(need, after)
    addIn(index.strangersReaders, strangerId(after.bucket, after.key), need)
    noteStranger(world, after.bucket, after.key)
  }
}

/** Has a need found no more by what it read, before its fact or the registry is another. */
const stopReading = (world: World, need: NeedRecord): void => {
  const { index } = world
  const { fact } = need
  if (!isSoundNeed(fact)) {
    return
  }
  const { kind } = fact.names
  const collection = collectionRead(fact.names)
  const record = collection === undefined ? undefined : index.collectionRecords.get(collection)
  if (collection !== undefined && record !== undefined) {
    record.readers.delete(need)
    index.dropCollection(collection, record)
  } else if (isFoundByKind(kind)) {
    removeFrom(index.needsByKind, kind, need)
    const at = index.strangersRead.get(need)
    if (at !== undefined) {
      index.strangersRead.delete(need)
      removeFrom(index.strangersReaders, strangerId(at.bucket, at.key), need)
      noteStranger(world, at.bucket, at.key)
    }
  }
}

/** Of the kinds that are compiled in, only `consumers` reads what is not found by the need's key or its claim. */
const isFoundByKind = (kind: string): boolean => kind === "consumers" || !isCompiledIn(kind)

const collectionRead = (
  { kind, name, node }: { readonly kind: string; readonly name: string; readonly node: string }
): string | undefined =>
  kind === "collected"
    ? writeKey(node, name)
    : namedCollectionKinds.has(kind)
    ? writeKey(node, `${kind}:${name}`)
    : undefined

/** Keeps whether an entry of a definition's own bucket is out of shape, which is listed where a need addresses it. */
const noteStranger = (world: World, bucket: string, key: string): void => {
  const { index } = world
  const value = index.strangersReaders.has(strangerId(bucket, key)) ? index.facts.stranger(bucket, key) : undefined
  noteOutOfShape(world, bucket, key, value !== undefined && Result.isFailure(value) ? value.failure : undefined)
}

/** An entry of a definition's own bucket changed. */
export const noticeStranger = (world: World, bucket: string, key: string): void => {
  noteStranger(world, bucket, key)
  const readers = world.index.strangersReaders.get(strangerId(bucket, key))
  if (readers !== undefined) {
    world.spreading.over(readers, markNeed)
  }
}

/** A bound entry changed. */
export const noticeBound = (
  world: World,
  module: string,
  key: string,
  before: Fact<"node" | "module" | "provision", Bound> | undefined,
  after: Fact<"node" | "module" | "provision", Bound> | undefined
): void => {
  const { agenda, index } = world
  const names = (after ?? before)?.names
  if (names === undefined) {
    return
  }
  const claim = index.claim(key, assignmentKeyOf(key), { provision: names.provision, local: names.local })
  linkEntry(index, module, claim, after !== undefined && isNamed(after) ? after : undefined)
  claimsNeeds(world, claim)
  // What is asked follows from who made something; an answer is about what was made.
  const isMadeBySame = sameMakers(before?.value, after?.value)
  if (!isMadeBySame || claim.answers !== undefined) {
    agenda.asks(claim)
  }
  for (const credential of isMadeBySame ? [] : claim.credentials) {
    if (openedModule(credential) === module) {
      agenda.asks(credential)
    }
  }
  const opened = isVaultsCredential(module, claim) ? linkCredential(index, claim) : undefined
  if (opened !== undefined && opened.needRecords.length > 0 && opened.offer?.module === openedModule(claim)) {
    agenda.outcome(opened)
  }
}

const sameMakers = (one: Bound | undefined, other: Bound | undefined): boolean =>
  one !== undefined && other !== undefined && one.by === other.by && sameJson(one.also, other.also) &&
  (one.state === "retired") === (other.state === "retired")

/** A provider's bucket is there, or is not: what its credentials open can be told, or cannot (protocol §6.1). */
export const noticeBoundBucket = ({ index, spreading }: World): void => {
  const credentials = index.vaultOffer("credential")
  if (credentials !== undefined) {
    spreading.over(credentials.entries, markAsksOfEntry)
  }
}

/** What a consumer applied changed. */
export const noticeApplied = (
  { agenda, index }: World,
  key: string,
  before: Fact<"node" | "module", Applied> | undefined,
  after: Fact<"node" | "module", Applied> | undefined
): void => {
  const was = before?.value
  const is = after?.value
  const assignment = index.facts.assignments.value(key)
  const consumer = index.consumers.get(key)
  if (assignment !== undefined && consumer !== undefined) {
    if (runsByAPlan(was, assignment) !== runsByAPlan(is, assignment)) {
      agenda.plan(consumer)
    }
  }
  const owned = [new Set(was?.own), new Set(is?.own)] as const
  const isSameInstance = was?.instance === is?.instance
  for (const own of owned[0].size + owned[1].size === 0 ? [] : new Set([...owned[0], ...owned[1]])) {
    const isSame = isSameInstance && owned[0].has(own) === owned[1].has(own)
    const claim = isSame ? undefined : index.claims.get(`${key}.${own}`)
    if (claim !== undefined && claim.needRecords.length > 0) {
      agenda.resolution(claim)
    }
  }
}

/** An operator's value of configuration changed. */
export const noticeConfigValue = (
  { agenda, index }: World,
  fact: Fact<"node" | "module" | "name"> | undefined
): void => {
  const names = fact?.names
  const need = names && index.needs.get(writeKey(names.node, names.module, "config", names.name))
  if (need !== undefined) {
    agenda.need(need)
  }
}

/** An item of a collection changed. */
export const noticeItem = (
  { agenda, index }: World,
  before: Fact<"node" | "collection" | "contributor", Json> | undefined,
  after: Fact<"node" | "collection" | "contributor", Json> | undefined
): void => {
  const names = (after ?? before)?.names
  if (names === undefined) {
    return
  }
  const key = writeKey(names.node, names.collection)
  const collection = index.collection(key)
  collection.made = undefined
  if (after?.value === undefined) {
    collection.items.delete(names.contributor)
  } else {
    collection.items.set(names.contributor, after.value)
  }
  for (const need of collection.readers) {
    agenda.need(need)
  }
  index.dropCollection(key, collection)
}

/** An operator's answer changed. */
export const noticeAnswer = (
  { agenda, index }: World,
  key: string,
  before: Fact<AskPart, Answer> | undefined,
  after: Fact<AskPart, Answer> | undefined
): void => {
  const names = (after ?? before)?.names
  if (names === undefined) {
    return
  }
  const { local, module, node, provision } = names
  const claim = index.claim(writeKey(node, module, provision, local), writeKey(node, module), { provision, local })
  const answers = claim.answers ?? new Map<string, AnswerFact>()
  answers.delete(key)
  if (after !== undefined && isSound(after)) {
    answers.set(key, after)
  }
  claim.answers = answers
  index.answersOver.delete(key)
  agenda.asks(claim)
}
