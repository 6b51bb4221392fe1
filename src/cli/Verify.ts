/**
 * `verify`: whether the stored decisions are what follows from the facts. It writes nothing.
 */
import * as Effect from "effect/Effect"
import { decide } from "../core/Decide.ts"
import { decidedBuckets, diff, storedIn } from "../core/Diff.ts"
import type { Json } from "../core/Json.ts"
import type { Snapshot } from "../core/Snapshot.ts"
import type { Bus } from "../ports/Bus.ts"
import { announced, isLongSnapshot } from "./Announce.ts"
import { readBus } from "./BusSnapshot.ts"
import { membersThatDiffer } from "./Changes.ts"
import type { BusConfig } from "./command/BusFlags.ts"
import { connected, notBoth } from "./Connect.ts"
import { Failure } from "./Failure.ts"
import { type Line, printJson, printLines, styled } from "./Print.ts"
import { readSnapshot } from "./Read.ts"
import { countText, paragraphs } from "./Say.ts"

/** What `verify` is asked. */
export interface VerifyConfig {
  readonly from: string | undefined
  readonly json: boolean
  readonly connection: BusConfig
}

/**
 * A stored decision that is not what it should be: it is missing; it is extra, as nothing decides it; or it differs, by the
 * members of these names.
 */
export interface Wrong {
  readonly bucket: string
  readonly key: string
  readonly fault: "missing" | "extra" | "differs"
  readonly fields?: ReadonlyArray<string>
}

/** What was found. */
export interface Found {
  /** How many decisions there should be. */
  readonly decisions: number
  readonly wrong: ReadonlyArray<Wrong>
}

/** Runs `verify`. */
export const run = Effect.fnUntraced(function*(config: VerifyConfig): Effect.fn.Return<void, Failure> {
  const { connection, from, json } = config
  yield* notBoth(from, connection)
  const found = yield* from === undefined ? onBus(connection) : Effect.flatMap(readSnapshot(from), foundIn)
  yield* json ? printJson(jsonOf(found)) : printLines(linesOf(found, from === undefined))
  if (found.wrong.length > 0) {
    yield* new Failure({ exitCode: 1 })
  }
})

const onBus = (connection: BusConfig): Effect.Effect<Found, Failure> =>
  Effect.scoped(Effect.flatMap(connected(connection), ({ bus }) => lookAt(bus)))

/**
 * Looks at a bus; what is wrong there once is looked at again, as a mesh in motion is for a moment between its facts and
 * what follows from them.
 */
export const lookAt = Effect.fnUntraced(function*(bus: Bus["Service"]): Effect.fn.Return<Found, Failure> {
  const look = Effect.flatMap(readBus(bus), foundIn)
  const first = yield* look
  if (first.wrong.length === 0) {
    return first
  }
  yield* Effect.sleep(lookAgainAfter)
  const again = yield* look
  const before = new Set(first.wrong.map(nameOf))
  return { ...again, wrong: again.wrong.filter((wrong) => before.has(nameOf(wrong))) }
})

/** A provisioner writes what follows from a change within some 10 ms. */
const lookAgainAfter = "1 second"

const nameOf = ({ bucket, key }: Wrong): string => JSON.stringify([bucket, key])

const foundIn = (snapshot: Snapshot): Effect.Effect<Found> =>
  announced("deciding", isLongSnapshot(snapshot), Effect.sync(() => compare(snapshot)))

const compare = (snapshot: Snapshot): Found => {
  const decisions = decide(snapshot)
  const stored = storedIn(snapshot)
  const wrong = diff(stored, decisions).map((write): Wrong => {
    const { bucket, key } = write
    if (write.op === "delete") {
      return { bucket, key, fault: "extra" }
    }
    const there = stored.get(bucket)
    return there?.has(key) === true
      ? { bucket, key, fault: "differs", fields: membersThatDiffer(there.get(key), write.value) }
      : { bucket, key, fault: "missing" }
  })
  return { decisions: [...decidedBuckets(decisions).values()].reduce((count, { size }) => count + size, 0), wrong }
}

const jsonOf = ({ decisions, wrong }: Found): Json => ({ decisions, wrong: wrong.map((one) => ({ ...one })) })

const linesOf = ({ decisions, wrong }: Found, isBus: boolean): Iterable<Line> => {
  if (wrong.length === 0) {
    return [[styled("green", `Each of ${countText(decisions, "decision", "decisions")} is what it should be.`)]]
  }
  const remedy = isBus ? " Whoever holds the provisioner's seat mends them: look whether anyone does." : ""
  return paragraphs(
    wrong.map(lineOf),
    [[
      `${countText(wrong.length, "stored decision is", "stored decisions are")} not what the facts come to; ` +
      `there should be ${decisions.toLocaleString("en-US")}.${remedy}`
    ]]
  )
}

const lineOf = ({ bucket, fault, fields = [], key }: Wrong): Line => [
  styled("red", fault.padEnd(8)),
  `  ${bucket}  `,
  styled("bold", key),
  ...(fields.length === 0 ? [] : [`  in ${shownOf(fields)}`])
]

const shownOf = (fields: ReadonlyArray<string>): string =>
  `${fields.slice(0, fieldsShownMax).join(", ")}${fields.length > fieldsShownMax ? ", …" : ""}`

/** What is stored may be anybody's making. */
const fieldsShownMax = 12
