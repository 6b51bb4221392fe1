/**
 * `explain`: the tree of causes behind a plan or a provision, drawn.
 */
import * as Effect from "effect/Effect"
import { bucketName } from "../core/BucketName.ts"
import type { ExplainReply, Step } from "../core/Explain.ts"
import type { Json } from "../core/Json.ts"
import { readToken, writeToken } from "../core/Name.ts"
import type { BusConfig } from "./command/BusFlags.ts"
import { type Failure, usage } from "./Failure.ts"
import { type Line, type Piece, printJson, printLines, styled } from "./Print.ts"
import { stateWord } from "./Say.ts"
import { openSource, type Request } from "./Source.ts"

/** What `explain` is asked. */
export interface ExplainConfig {
  readonly key: string
  readonly from: string | undefined
  readonly connection: BusConfig
  readonly json: boolean
}

/** Runs `explain`. */
export const run = Effect.fnUntraced(function*(config: ExplainConfig): Effect.fn.Return<void, Failure> {
  const { connection, from, json, key } = config
  const request = yield* requestOf(key)
  const reply = yield* Effect.scoped(
    Effect.flatMap(openSource(from, connection), (source) => source.explain(request))
  )
  yield* json ? printJson(replyJson(reply)) : printLines(treeLines(reply.tree, "", ""))
})

/** The names that the argument's tokens are written for (protocol §2). */
const requestOf = (key: string): Effect.Effect<Request, Failure> => {
  const tokens = key.split(".")
  const names = tokens.map(readToken)
  const [node, module, kind, name] = names
  const unread = tokens[names.indexOf(undefined)]
  if (names.length !== 2 && names.length !== 4) {
    return Effect.fail(usage(
      `${key} has ${tokens.length} ${tokens.length === 1 ? "part" : "parts"}. Write <node>.<module> for a plan, or ` +
        "<node>.<module>.<kind>.<name> for one need; a . within a name is written =2E."
    ))
  }
  if (node === undefined || module === undefined || unread !== undefined) {
    const written = writeToken(unread ?? "")
    return Effect.fail(usage(
      `${unread === "" ? "An empty part" : unread} is not how a name is written in a key. ` +
        (written === "" ? "Give each part a name." : `As a name it is written ${written}.`)
    ))
  }
  return Effect.succeed({ node, module, ...(kind === undefined || name === undefined ? {} : { kind, name }) })
}

const replyJson = ({ tree, ...request }: ExplainReply): Json => ({ ...request, tree: stepJson(tree) })

const stepJson = ({ causes, circle, ...step }: Step): Json => ({
  ...step,
  ...(circle === undefined ? {} : { circle: [...circle] }),
  causes: causes.map(stepJson)
})

/** A step and what it follows from: `first` stands before its first line, `rest` before the others. */
const treeLines = function*(step: Step, first: string, rest: string): Iterable<Line> {
  yield [first, ...headOf(step)]
  const trunk = step.causes.length > 0 ? "│  " : "   "
  // A plan's words are those of its needs, which stand below it.
  if (step.bucket !== bucketName.plans || step.causes.length === 0) {
    yield [rest, trunk, step.why]
  }
  for (const [index, cause] of step.causes.entries()) {
    const last = index === step.causes.length - 1
    yield* treeLines(cause, `${rest}${last ? "└─ " : "├─ "}`, `${rest}${last ? "   " : "│  "}`)
  }
}

const what = new Map<string, string>([[bucketName.plans, "plan"], [bucketName.provisions, "need"]])

const headOf = ({ bucket, circle, key, reason, seen, state }: Step): ReadonlyArray<Piece> => [
  what.get(bucket) ?? bucket,
  "  ",
  styled("bold", key),
  ...(state === undefined ? [] : ["  ", stateWord(state)]),
  ...(reason === undefined ? [] : [` (${reason})`]),
  ...(circle === undefined ? [] : ["  ", styled("red", "a circle")]),
  ...(seen === undefined ? [] : ["  ", styled("dim", "explained above")])
]
