/**
 * What differs between two sets of decisions, and how a person reads it: `diff` shows it before a change is made, `serve`
 * while it is.
 */
import { bucketName } from "../core/BucketName.ts"
import type { Conflict, DecidedValues, Decisions, OutOfShape } from "../core/Decision.ts"
import { decidedBuckets, listsOf, type WouldList } from "../core/Diff.ts"
import { isJsonObject, type Json, type JsonObject, member, sameJson, textMember } from "../core/Json.ts"
import { type Line, type Piece, styled } from "./Print.ts"
import { conflictLines, headed, outOfShapeLines, paragraphs, stateWord } from "./Say.ts"

/** A decision that is another one: it appears, goes, changes its state, or something else of it in the same state. */
export interface DecisionChange {
  readonly bucket: string
  readonly key: string
  readonly change: "appears" | "goes" | "state" | "value"
  readonly before?: Json
  readonly after?: Json
}

/** A module that would have to read its values again: its plan's digest changes, for its build or for these needs. */
export interface Reread {
  readonly key: string
  readonly build: boolean
  readonly needs: ReadonlyArray<string>
}

/** All that differs between the decisions of two snapshots. */
export interface Changes {
  readonly decisions: ReadonlyArray<DecisionChange>
  readonly rereads: ReadonlyArray<Reread>
  readonly answersToDelete: ReadonlyArray<string>
  readonly outOfShape: WouldList<OutOfShape>
  readonly conflicts: WouldList<Conflict>
}

/** Decisions as they are compared: decided here, or read off a bus, which does not tell what answers it deletes. */
export interface Decided {
  readonly buckets: ReadonlyMap<string, DecidedValues>
  readonly answersToDelete: ReadonlyArray<string> | undefined
  readonly outOfShape: ReadonlyArray<OutOfShape>
  readonly conflicts: ReadonlyArray<Conflict>
}

/** Decisions, to be compared with others. */
export const decidedOf = (decisions: Decisions): Decided => ({ ...decisions, buckets: decidedBuckets(decisions) })

/** What differs between two sets of decisions. */
export const changesOf = (before: Decisions, after: Decisions): Changes =>
  changesFrom(decidedOf(before), decidedOf(after))

/** What differs between what was decided and what is; of answers, only where both tell. */
export const changesFrom = (before: Decided, after: Decided): Changes => {
  const { answersToDelete } = before
  return {
    decisions: [...decisionChanges(before, after)],
    rereads: [...rereadsOf(before, after)],
    answersToDelete: answersToDelete === undefined
      ? []
      : (after.answersToDelete ?? []).filter((key) => !answersToDelete.includes(key)),
    outOfShape: listsOf(before.outOfShape, after.outOfShape),
    conflicts: listsOf(before.conflicts, after.conflicts)
  }
}

const decisionChanges = function*(before: Decided, after: Decided): Iterable<DecisionChange> {
  for (const [bucket, old] of before.buckets) {
    const now = after.buckets.get(bucket) ?? new Map<string, Json>()
    for (const key of [...new Set([...old.keys(), ...now.keys()])].sort()) {
      const change = changeOf(old.get(key), now.get(key))
      if (change !== undefined) {
        yield { bucket, key, ...change }
      }
    }
  }
}

/** How a value changes, where it does. */
export const changeOf = (
  before: Json | undefined,
  after: Json | undefined
): Pick<DecisionChange, "change" | "before" | "after"> | undefined => {
  if (before === undefined) {
    return after === undefined ? undefined : { change: "appears", after }
  }
  if (after === undefined) {
    return { change: "goes", before }
  }
  return sameJson(before, after)
    ? undefined
    : { change: textMember(before, "state") === textMember(after, "state") ? "value" : "state", before, after }
}

/** The modules that would have to read again: those that have a plan now and then, with another digest (protocol §7). */
const rereadsOf = function*(before: Decided, after: Decided): Iterable<Reread> {
  const [then, plans] = [before, after].map(({ buckets }) => buckets.get(bucketName.plans))
  for (const [key, now] of [...plans ?? []].sort(([one], [other]) => one < other ? -1 : 1)) {
    const old = then?.get(key)
    if (old !== undefined && textMember(old, "digest") !== textMember(now, "digest")) {
      yield { key, build: textMember(old, "build") !== textMember(now, "build"), needs: needsToRead(old, now) }
    }
  }
}

const needsToRead = (before: Json, after: Json): ReadonlyArray<string> => {
  const [old, now] = [before, after].map(needsOf)
  return [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])].sort().filter((need) =>
    !sameJson(foundAt(old, need), foundAt(now, need))
  )
}

const needsOf = (plan: Json): JsonObject => {
  const needs = isJsonObject(plan) ? member(plan, "needs") : undefined
  return isJsonObject(needs) ? needs : {}
}

const foundAt = (needs: JsonObject | undefined, need: string): Json | undefined => {
  const found = needs === undefined ? undefined : member(needs, need)
  if (!isJsonObject(found)) {
    return undefined
  }
  const [find, version] = [member(found, "find"), member(found, "version")]
  return { ...(find === undefined ? {} : { find }), ...(version === undefined ? {} : { version }) }
}

// --- how a change is said ----------------------------------------------------------------------------------------

/** The short name of a bucket of decisions, as `show` takes it. */
const whatOf = (bucket: string): string => bucket.replace("mesh-provisioner_", "")

/** A change of a decision: what it was, what it is, and why each. */
export const changeLines = function*({ after, before, bucket, change, key }: DecisionChange): Iterable<Line> {
  const one: Piece = bucket === bucketName.registry ? "kind" : whatOf(bucket).slice(0, -1)
  yield [one, "  ", styled("bold", key), "  ", ...stateChange(change, before, after)]
  const [old, now] = [before, after].map(wordsOf)
  if (old !== undefined && old !== now) {
    yield ["    before: ", old]
  }
  if (now !== undefined) {
    yield [old === undefined || old === now ? "    " : "    now:    ", now]
  }
}

/** What there is to say of a decision: its why; of a kind, who answers it. A plan that is ready has nothing to say. */
export const wordsOf = (value: Json | undefined): string | undefined => {
  const module = textMember(value, "module")
  const why = textMember(value, "why") ?? (module === undefined ? "" : `answered by ${module}`)
  return why === "" ? undefined : why
}

/** How the state of a decision changes, as a part of a line. */
export const stateChange = (
  change: DecisionChange["change"],
  before: Json | undefined,
  after: Json | undefined
): Line => {
  const [old, now] = [before, after].map((value) => textMember(value, "state"))
  const word = (state: string | undefined): ReadonlyArray<Piece> => state === undefined ? [] : [stateWord(state)]
  switch (change) {
    case "appears":
      return [styled("green", "appears"), ...(now === undefined ? [] : [" as ", ...word(now)])]
    case "goes":
      return [styled("red", "goes"), ...(old === undefined ? [] : [", was ", ...word(old)])]
    default:
      return old === now
        ? [...word(now), now === undefined ? "" : "  ", changesText(membersThatDiffer(before, after))]
        : [...word(old), " -> ", ...word(now)]
  }
}

/** What changes, by the names of its members; of a value of a stranger's making, by a few of them. */
const changesText = (names: ReadonlyArray<string>): string =>
  names.length === 0
    ? "changes"
    : `changes its ${names.slice(0, namesSaidMax).join(", ")}${names.length > namesSaidMax ? ", …" : ""}`

const namesSaidMax = 10

/** The names of the members that differ. */
export const membersThatDiffer = (before: Json | undefined, after: Json | undefined): ReadonlyArray<string> => {
  const [old, now] = [isJsonObject(before) ? before : {}, isJsonObject(after) ? after : {}]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((name) =>
    !sameJson(member(old, name), member(now, name))
  )
}

/** What comes out of shape or in shape, and what begins or ceases to conflict. */
export const factLines = ({ conflicts, outOfShape }: Changes): Iterable<Line> =>
  paragraphs(
    headed("Facts that come out of shape", outOfShapeLines(outOfShape.appears)),
    headed("Facts that come in shape or go", outOfShape.goes.map(({ bucket, key }) => [bucket, "  ", key])),
    headed("Conflicts that appear", conflictLines(conflicts.appears)),
    headed("Conflicts that go", conflicts.goes.map(({ kind, module }) => [kind, "  ", module]))
  )
