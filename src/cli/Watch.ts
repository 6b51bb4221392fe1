/**
 * `show --watch`: what there is, and then each change of it, for as long as one looks. It is told that something was
 * written, and asks what there is then; nobody can make it believe what is not decided.
 *
 * It never sits silent: that the bus does not answer, that it answers again, and that another holds the seat is said.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { bucketName } from "../core/BucketName.ts"
import type { Conflict, OutOfShape } from "../core/Decision.ts"
import { listsOf } from "../core/Diff.ts"
import { type Json, type JsonObject, member, textMember } from "../core/Json.ts"
import type { QueryEntry, QueryReply } from "../core/Query.ts"
import type { QueryWhat } from "../core/QueryWhat.ts"
import { changeOf, type DecisionChange, stateChange, wordsOf } from "./Changes.ts"
import type { Failure } from "./Failure.ts"
import { type Line, printError, printJsonLine, printLines, styled } from "./Print.ts"
import type { Following, Unread } from "./Source.ts"

/** What is watched, and how it is shown. */
export interface Watch {
  readonly following: Following
  /** What was there at first. */
  readonly first: QueryReply
  /** The state that is asked for: what comes into it and what leaves it is shown. */
  readonly state: string | undefined
  readonly json: boolean
}

/** Shows each change, for ever. */
export const watchOn = (watch: Watch): Effect.Effect<never, Failure, Scope.Scope> =>
  Effect.gen(function*() {
    const { following } = watch
    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(following.news), printError)))
    const pace = new Pace(following.hints)
    let shown = watch.first
    let trouble: Unread | undefined
    while (true) {
      yield* pace.wait
      const read = yield* Effect.result(Effect.timed(following.read))
      if (read._tag === "Failure") {
        yield* sayTrouble(trouble, read.failure)
        trouble = read.failure
        pace.heard("nothing")
        continue
      }
      if (trouble?.sentence !== undefined) {
        yield* printError("The bus answers again.")
      }
      trouble = undefined
      const [took, reply] = read.success
      const happened = happenedBetween(shown, reply)
      shown = reply
      pace.heard(happened.some(({ of }) => of === "entry") ? "changes" : "the same", Duration.toMillis(took))
      yield* show(watch, happened)
    }
  })

const sayTrouble = (before: Unread | undefined, { sentence }: Unread): Effect.Effect<void> =>
  sentence === undefined || sentence === before?.sentence
    ? Effect.void
    : printError(`${sentence} It is asked again every ${retryMillis / 1_000} s.`)

// --- when it is asked again --------------------------------------------------------------------------------------

/** Where no hint is to be had, or nobody answers, it is asked so often. */
const retryMillis = 2_000

/** So long after a hint there are most likely all that belong to it, and the provisioner has seen what was written. */
const settleMillis = 100

/** In case that it had not, it is asked once more so long after. */
const secondLookMillis = 1_000

/** Without any hint it is asked so often, in case that one was lost. */
const auditMillis = 10_000

/** Asking takes no more than a fifth of the time, however much there is to be told. */
const restFactor = 4

type HeardOf = "changes" | "the same" | "nothing"

/** When the bus is asked again: at a hint; and every 2 s where there are none, or were none of what changed. */
class Pace {
  readonly #hints: Following["hints"]
  #isTold = true
  #wasHinted = false
  #isInDoubt = false
  #waitMillis = auditMillis
  #restMillis = settleMillis

  constructor(hints: Following["hints"]) {
    this.#hints = hints
  }

  /** Waits until it is to be asked. */
  readonly wait: Effect.Effect<void> = Effect.gen({ self: this }, function*() {
    this.#wasHinted = this.#isTold && (yield* this.#hint())
    if (this.#wasHinted) {
      yield* Effect.sleep(this.#restMillis)
      yield* Effect.ignore(Queue.clear(this.#hints))
    } else if (this.#isInDoubt) {
      yield* this.#doWithout()
    } else if (!this.#isTold) {
      yield* Effect.sleep(Math.max(retryMillis, this.#restMillis))
    }
  })

  /** Takes in what the last asking came to: that tells when the next one is due. */
  heard(what: HeardOf, tookMillis = 0): void {
    this.#restMillis = Math.max(settleMillis, restFactor * tookMillis)
    // What changed was written: where that was not told within a moment, nothing ever is.
    this.#isInDoubt = this.#isTold && !this.#wasHinted && what === "changes"
    this.#waitMillis = what === "nothing" || this.#isInDoubt
      ? retryMillis
      : this.#wasHinted && what === "the same"
      ? secondLookMillis
      : auditMillis
  }

  /** Waits for a hint, for so long; gives whether there was one. */
  #hint(): Effect.Effect<boolean> {
    return Queue.takeAll(this.#hints).pipe(
      Effect.as(true),
      Effect.timeoutOrElse({ duration: this.#waitMillis, orElse: () => Effect.succeed(false) }),
      Effect.catch(() => Effect.as(this.#doWithout(), false))
    )
  }

  #doWithout(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#isTold = false
      this.#isInDoubt = false
      return printError(
        `This account is not told what is written there, so the bus is asked every ${retryMillis / 1_000} s.`
      )
    })
  }
}

// --- what happened -----------------------------------------------------------------------------------------------

/** One thing that is another than before. */
type Happened =
  | { readonly of: "entry" } & DecisionChange
  | { readonly of: "outOfShape"; readonly change: "appears" | "goes"; readonly fact: OutOfShape }
  | { readonly of: "conflict"; readonly change: "appears" | "goes"; readonly fact: Conflict }

const happenedBetween = (before: QueryReply, after: QueryReply): ReadonlyArray<Happened> => {
  const outOfShape = listsOf(before.outOfShape, after.outOfShape)
  const conflicts = listsOf(before.conflicts ?? [], after.conflicts ?? [])
  return [
    ...entryChanges(before, after),
    ...outOfShape.appears.map((fact) => ({ of: "outOfShape", change: "appears", fact }) as const),
    ...outOfShape.goes.map((fact) => ({ of: "outOfShape", change: "goes", fact }) as const),
    ...conflicts.appears.map((fact) => ({ of: "conflict", change: "appears", fact }) as const),
    ...conflicts.goes.map((fact) => ({ of: "conflict", change: "goes", fact }) as const)
  ]
}

const entryChanges = function*(before: QueryReply, after: QueryReply): Iterable<Happened> {
  const [old, now] = [before, after].map(({ entries }) => new Map(entries.map((entry) => [entry.key, valueOf(entry)])))
  for (const key of [...new Set([...old?.keys() ?? [], ...now?.keys() ?? []])].sort()) {
    const change = changeOf(old?.get(key), now?.get(key))
    if (change !== undefined) {
      yield { of: "entry", bucket: bucketName[after.what], key, ...change }
    }
  }
}

/** What an entry holds; of one that is too large to be told, how large it is. */
const valueOf = (entry: QueryEntry): Json => member(entry, "value") ?? { tooLarge: member(entry, "tooLarge") ?? true }

const show = Effect.fnUntraced(function*({ first: { what }, json, state }: Watch, all: ReadonlyArray<Happened>) {
  const time = DateTime.formatIso(yield* DateTime.now)
  const shown = all.filter((one) => one.of !== "entry" || isOf(state, one))
  if (json) {
    yield* Effect.forEach(shown, (one) => printJsonLine({ time, what, ...jsonOf(one) }), { discard: true })
  } else {
    yield* printLines(shown.map((one) => [styled("dim", time), "  ", ...lineOf(what, one)]))
  }
})

/** Whether what changes was or is in the state that is asked for. */
const isOf = (state: string | undefined, { after, before }: DecisionChange): boolean =>
  state === undefined || [before, after].some((value) => textMember(value, "state") === state)

const jsonOf = (one: Happened): JsonObject => {
  switch (one.of) {
    case "entry": {
      const { bucket: _, of: __, ...change } = one
      return { ...change }
    }
    default:
      return { change: one.change, [one.of]: { ...one.fact } }
  }
}

const lineOf = (what: QueryWhat, one: Happened): Line => {
  switch (one.of) {
    case "entry": {
      const words = wordsOf(one.after ?? one.before)
      return [
        `${nameOf[what]}  `,
        styled("bold", one.key),
        "  ",
        ...stateChange(one.change, one.before, one.after),
        ...(words === undefined ? [] : ["  ", words])
      ]
    }
    case "outOfShape": {
      const { bucket, key, why } = one.fact
      return one.change === "appears"
        ? [styled("red", "out of shape"), `  ${bucket}  ${key}  ${why}`]
        : [styled("green", "in shape or gone"), `  ${bucket}  ${key}`]
    }
    case "conflict": {
      const { kind, module, why } = one.fact
      return one.change === "appears"
        ? [styled("red", "conflict"), `  ${kind}  ${module}  ${why}`]
        : [styled("green", "no conflict"), `  ${kind}  ${module}`]
    }
  }
}

const nameOf: { readonly [What in QueryWhat]: string } = {
  registry: "kind",
  needs: "need",
  applied: "applied",
  collect: "item",
  provisions: "provision",
  plans: "plan",
  asks: "ask"
}
