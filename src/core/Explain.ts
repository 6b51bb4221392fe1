/**
 * The pure half of the verb `mesh-provisioner.explain` (protocol §8): the chain of causes behind a plan or a provision, as
 * a tree, down to the fact that everything waits for. A circle of waits is said to be one.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { bucketName } from "./BucketName.ts"
import type { Caller } from "./Caller.ts"
import type { ModuleOn, Plan, Provision, Waits } from "./Decision.ts"
import { type Explained, settledBy, troubledWriter } from "./ExplainCause.ts"
import { sayFact } from "./ExplainFact.ts"
import { writeKey } from "./Key.ts"
import { explainLooksMax, explainStepsMax, replyBytesMax } from "./Limits.ts"
import { once } from "./Once.ts"
import { escapedBytesMax } from "./Page.ts"
import { isSeenBy } from "./Sight.ts"
import { writeUtf8 } from "./Utf8.ts"
import { refuse, requestOf, type VerbError, type VerbSource } from "./Verb.ts"
import { cut, stepWhy, verbWhy } from "./Words.ts"

const readRequest = requestOf(Schema.Struct({
  node: Schema.String,
  module: Schema.String,
  kind: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(Schema.String)
}))

/** One step of an explanation: a decision or a fact, its key, its words, and what it follows from. */
export interface Step {
  readonly bucket: string
  readonly key: string
  readonly state?: string
  readonly reason?: string
  readonly why: string
  readonly causes: ReadonlyArray<Step>
  /** The plans that wait for each other, in order, from the smallest key on: this step closes the circle, or leads on to what does. */
  readonly circle?: ReadonlyArray<string>
  /** The step stands elsewhere in the tree, with its causes. */
  readonly seen?: true
}

/** The verb's answer: what was asked about, and the tree of its causes. */
export interface ExplainReply {
  readonly node: string
  readonly module: string
  readonly kind?: string
  readonly name?: string
  readonly tree: Step
}

/** What a caller may hand in beside the request. */
export interface ExplainOptions {
  /** Who asks, where the bus says so: a node or provider is told of its own modules, whose causes may lie elsewhere. */
  readonly caller?: Caller
  /** The bytes that a reply may have, as JSON; NATS' own default where left out. */
  readonly replyBytesMax?: number
}

/**
 * Explains a plan, or one provision (protocol §8): each step the decision or fact, its key and its words, down to the
 * fact that everything waits for.
 *
 * @param request `{ "node", "module", "kind"?, "name"? }`: kind and name both, or neither.
 * @returns the tree, or why the request is refused: 400, or 404 where there is no such plan or need for the caller.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { decide, explain, Facts } from "mesh-provisioner/core"
 *
 * const facts = Facts.fromSnapshot({ buckets: { "mesh-provisioner_needs": { "n1.shop.bound.database": {} } } })
 * const { tree } = Result.getOrThrow(explain({ facts, decisions: decide(facts) }, { node: "n1", module: "shop" }))
 * tree.state // "waiting"
 * tree.causes[0]?.bucket // "mesh-controller_assignments"
 * ```
 */
export const explain = (
  source: VerbSource,
  request: unknown,
  options: ExplainOptions = {}
): Result.Result<ExplainReply, VerbError> =>
  Result.flatMap(readRequest(request), (read) => {
    const { kind, module, name, node } = read
    if ((kind === undefined) !== (name === undefined)) {
      return refuse(400, verbWhy.kindAndName())
    }
    const consumer = writeKey(node, module)
    // Half of what a reply may have is for steps: what stands around them, and their nesting, is in the other half.
    const room = {
      bytes: (options.replyBytesMax ?? replyBytesMax) / 2,
      steps: explainStepsMax,
      looks: explainLooksMax,
      isOver: false
    }
    const walk = walkOf(source, room)
    const isSeen = isSeenBy(options.caller, bucketName.plans, consumer)
    if (kind === undefined || name === undefined) {
      const plan = isSeen ? source.decisions.plans.get(consumer) : undefined
      return plan === undefined
        ? refuse(404, verbWhy.noPlan())
        : Result.succeed({ ...read, tree: planStep(walk, consumer, plan) })
    }
    const key = writeKey(node, module, kind, name)
    const provision = isSeen ? source.decisions.provisions.get(key) : undefined
    return provision === undefined
      ? refuse(404, verbWhy.noNeed())
      : Result.succeed({ ...read, tree: provisionStep(walk, key, provision) })
  })

/**
 * Where the explanation is: the plans above this step, those explained anywhere, the room that is left, how many waits may yet be
 * looked at for circles, and whether any room was missing.
 */
interface Walk {
  readonly source: Explained
  /** The plans, not as they should be, of the modules that a plan waits for. */
  readonly waitedFor: (key: string) => ReadonlyArray<string>
  readonly room: { bytes: number; steps: number; looks: number; isOver: boolean }
  readonly path: ReadonlyArray<string>
  readonly seen: Set<string>
}

// An engine puts a plan together whenever it is asked for: here each is asked for once.
const walkOf = ({ decisions, facts }: VerbSource, room: Walk["room"]): Walk => {
  const source = {
    facts,
    provisions: decisions.provisions,
    plans: { get: once((key: string) => decisions.plans.get(key)) }
  }
  return { source, room, path: [], seen: new Set(), waitedFor: once((key: string) => waitedFor(source, room, key)) }
}

/** What a step follows from: where that is, the plan that it is or that is behind it, if there is one, and its own step. */
interface Cause {
  readonly place: Waits
  readonly plan?: () => string | undefined
  readonly step: () => Step
}

/** A step with its causes, as long as there is room for them; where room runs out, the last one says that there are more. */
const step = (walk: Walk, head: Omit<Step, "causes">, causes: Iterable<Cause>): Step => {
  const said = bytesOf(head) <= walk.room.bytes
    ? head
    : { ...head, why: cut(head.why, Math.floor(walk.room.bytes / escapedBytesMax)) }
  walk.room.steps -= 1
  walk.room.bytes -= bytesOf(said)
  const made: Array<Step> = []
  for (const cause of causes) {
    if (walk.room.steps <= 0 || walk.room.bytes <= 0) {
      made.push(lastStep(walk, cause))
      break
    }
    made.push(cause.step())
  }
  return { ...said, causes: made }
}

const bytesOf = (head: Omit<Step, "causes">): number => writeUtf8(JSON.stringify(head)).length

/**
 * Stands for a cause for which there is no room. The first of them is the deepest: if what is above waits in a circle that goes on
 * behind it, that is said, too.
 */
const lastStep = (walk: Walk, { place, plan }: Cause): Step => {
  const behind = walk.room.isOver ? undefined : plan?.()
  const circle = behind === undefined ? undefined : wayBack(walk, behind)
  walk.room.isOver = true
  const more = { ...place, why: stepWhy.more(), causes: [] }
  const closing = circle && { ...more, why: `${stepWhy.circle(circle)}; ${stepWhy.more()}`, circle }
  return closing === undefined || bytesOf(closing) > walk.room.bytes ? more : closing
}

const planStep = (walk: Walk, key: string, plan: Plan): Step => {
  const head = { bucket: bucketName.plans, key, state: plan.state, why: plan.why }
  const above = walk.path.indexOf(key)
  if (above !== -1) {
    const circle = fromSmallest(walk.path.slice(above))
    return step(walk, { ...head, why: stepWhy.circle(circle), circle }, [])
  }
  if (walk.seen.has(key)) {
    const back = wayBack(walk, key)
    const circle = back === undefined ? {} : { why: stepWhy.circle(back), circle: back }
    return step(walk, { ...head, ...circle, seen: true }, [])
  }
  walk.seen.add(key)
  const inside = { ...walk, path: [...walk.path, key] }
  return step(
    inside,
    head,
    plan.build === undefined && plan.waits !== undefined
      ? [factCause(inside, plan.waits)]
      : needCauses(inside, key, plan)
  )
}

/**
 * The circle that a plan which is explained elsewhere closes, if it waits, by however many others, for one above this
 * step: the nearest of them.
 */
const wayBack = (walk: Walk, start: string): ReadonlyArray<string> | undefined => {
  const cameFrom = new Map<string, string | undefined>([[start, undefined]])
  for (const key of cameFrom.keys()) {
    const above = walk.path.indexOf(key)
    if (above !== -1) {
      const way: Array<string> = []
      for (let step = cameFrom.get(key); step !== undefined; step = cameFrom.get(step)) {
        way.unshift(step)
      }
      return fromSmallest([...walk.path.slice(above), ...way])
    }
    for (const next of cameFrom.size < explainStepsMax ? walk.waitedFor(key) : []) {
      if (!cameFrom.has(next)) {
        cameFrom.set(next, key)
      }
    }
  }
  return undefined
}

/** The plans, not as they should be, of the modules that a plan waits for, as far as there may be looked. */
const waitedFor = (source: Explained, room: Walk["room"], key: string): ReadonlyArray<string> => {
  const needs = source.plans.get(key)?.blocked?.slice(0, Math.max(0, room.looks)) ?? []
  room.looks -= needs.length
  return [...new Set(needs.flatMap((need) => waitedForBy(source, `${key}.${need}`) ?? []))]
}

/** The plan, not as it should be, of the module that a need waits for. */
const waitedForBy = (source: Explained, needKey: string): string | undefined => {
  const provision = source.provisions.get(needKey)
  const fact = provision && (provision.waits ?? settledBy(source, needKey, provision))
  return fact && troubledWriter(source, fact, provision.provider)
}

const fromSmallest = (keys: ReadonlyArray<string>): ReadonlyArray<string> => {
  const smallest = keys.reduce((least, key, index) => key < (keys[least] ?? key) ? index : least, 0)
  return [...keys.slice(smallest), ...keys.slice(0, smallest)]
}

const needCauses = function*(walk: Walk, key: string, { blocked = [] }: Plan): Iterable<Cause> {
  for (const need of blocked) {
    yield needCause(walk, `${key}.${need}`)
  }
}

const needCause = (walk: Walk, key: string): Cause => ({
  place: { bucket: bucketName.provisions, key },
  plan: () => waitedForBy(walk.source, key),
  step: () => provisionStep(walk, key, walk.source.provisions.get(key))
})

const provisionStep = (walk: Walk, key: string, provision: Provision | undefined): Step => {
  const { reason, state, why } = provision ?? { why: stepWhy.there() }
  const head = {
    bucket: bucketName.provisions,
    key,
    ...(state === undefined ? {} : { state }),
    ...(reason === undefined ? {} : { reason }),
    why
  }
  return step(walk, head, provision === undefined ? [] : causesOf(walk, key, provision))
}

/** What a provision follows from: the fact it waits for, or the one that settled it; of a refused one, who was tried. */
const causesOf = (walk: Walk, key: string, provision: Provision): ReadonlyArray<Cause> => {
  const { candidates, provider, waits } = provision
  if (waits === undefined && candidates !== undefined) {
    return candidates.map(({ module, node, reason, why }): Cause => {
      const place = { bucket: bucketName.assignments, key: writeKey(node, module) }
      return { place, step: () => step(walk, { ...place, reason, why }, []) }
    })
  }
  const fact = waits ?? settledBy(walk.source, key, provision)
  return fact === undefined ? [] : [factCause(walk, fact, provider)]
}

/** A fact, and behind it the plan of the module that is to write it, where that does not run as it should. */
const factCause = (walk: Walk, place: Waits, provider?: ModuleOn): Cause => {
  const { facts, plans } = walk.source
  const writer = troubledWriter(walk.source, place, provider)
  const plan = writer === undefined ? undefined : plans.get(writer)
  const behind = writer === undefined || plan === undefined ? [] : [planCause(walk, writer, plan)]
  return {
    place,
    plan: () => writer,
    step: () => step(walk, { ...place, why: sayFact(facts, place, provider) }, behind)
  }
}

const planCause = (walk: Walk, key: string, plan: Plan): Cause => ({
  place: { bucket: bucketName.plans, key },
  plan: () => key,
  step: () => planStep(walk, key, plan)
})
