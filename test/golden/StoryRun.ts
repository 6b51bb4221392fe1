/**
 * Runs the commands of a story, and says what they come to.
 *
 * - `put BUCKET KEY JSON`, `bytes BUCKET KEY HEX`, `delete BUCKET KEY`, `close BUCKET` (the bucket is gone): facts; what
 *   they change is said once, after the last command of the step.
 * - `query JSON`, `explain JSON`, `retire JSON`: the verbs. An answer of `retire` is written, as the provisioner writes it;
 *   of a long explanation, `end-of-explain JSON` gives the first line and the end.
 *   `what-if JSON` is the verb beside those of the protocol. `retire-as ACCOUNT JSON` and `what-if-as ACCOUNT JSON` are asked
 *   by that account, and `retire-as` as `a-small-bus`, on one whose replies have 64 bytes at most.
 * - `quietly`, first in a step: what it changes is not said.
 * - `check MODULE JSON`: a module's definition. `read TEXT`: the text of a snapshot, in which `⏎` is a line break.
 */
import * as Result from "effect/Result"
import {
  type Change,
  checkDefinition,
  decide,
  type Decisions,
  Engine,
  explain,
  Facts,
  type Json,
  parseSnapshot,
  query,
  readAccountName,
  retire,
  type Step,
  type VerbError
} from "mesh-provisioner/core"
import { textMember } from "../../src/core/Json.ts"
import { readWhatIf, whatIfOf } from "../../src/core/WhatIf.ts"
import { abbreviated, type Story, writtenOut } from "./Story.ts"
import { changesSaid } from "./StorySay.ts"

/** What a story comes to: what each step says, and every set of decisions on its way. */
export interface Told {
  readonly says: ReadonlyArray<string>
  readonly decisions: ReadonlyArray<Decisions>
}

/** Runs a story from a mesh without facts. */
export const tell = ({ steps }: Story): Told => {
  const stage = new Stage()
  const decisions: Array<Decisions> = []
  const says = steps.map(({ commands }) => {
    const before = stage.decisions
    if (commands[0] === "quietly") {
      commands.slice(1).flatMap(writtenOut).forEach((command) => stage.play(command))
      stage.changed = false
      decisions.push(stage.decisions)
      return "…\n"
    }
    const lines = commands.flatMap(writtenOut).flatMap((command) => [...stage.play(command)])
    decisions.push(stage.decisions)
    const all = [...lines, ...(stage.changed || lines.length === 0 ? changes(before, stage.decisions) : [])]
    stage.changed = false
    return all.map((line) => `${abbreviated(line)}\n`).join("")
  })
  return { says, decisions }
}

const changes = (before: Decisions, after: Decisions): ReadonlyArray<string> => {
  const said = changesSaid(before, after)
  return said.length > 0 ? said : ["nothing changes"]
}

/** The mesh that a story is played on. */
class Stage {
  readonly facts = new Facts()
  readonly engine = new Engine()
  /** Whether a command has changed facts since this was last set to false. */
  changed = false
  #decided: Decisions | undefined

  get decisions(): Decisions {
    this.#decided ??= decide(this.facts)
    return this.#decided
  }

  /** Plays a command: what it answers, a line each. */
  play(command: string): Iterable<string> {
    const [name = "", rest = ""] = split(command)
    switch (name) {
      case "put":
      case "bytes":
      case "delete":
      case "close":
        return this.change(name, rest)
      case "query":
        return answered(query(this, json(rest)), ({ conflicts = [], entries, next, outOfShape, what }) => [
          `${what}: ${entries.map(({ key, ...parts }) => `${key}${said(parts)}`).join(", ") || "none"}`,
          ...outOfShape.map(({ bucket, key, why }) => `out of shape: ${bucket} ${key}: ${why}`),
          ...conflicts.map(({ kind, module, why }) => `conflict: ${kind} of ${module}: ${why}`),
          ...(next === undefined ? [] : [`next: ${JSON.stringify(next)}`])
        ])
      case "explain":
        return answered(explain(this, json(rest)), ({ tree }) => [...treeLines(tree, "")])
      case "end-of-explain":
        return answered(explain(this, json(rest)), ({ tree }) => shortened([...treeLines(tree, "")]))
      case "retire":
      case "retire-as": {
        const [account = "", asked = ""] = name === "retire" ? ["", rest] : split(rest)
        const caller = readAccountName(account)
        const options = {
          ...(caller === undefined ? {} : { caller }),
          ...(account === "a-small-bus" ? { replyBytesMax: 64 } : {})
        }
        return answered(retire(this, json(asked), options), ({ write }) => {
          this.apply(write)
          return [`put ${write.bucket} ${write.key}`]
        })
      }
      case "what-if":
      case "what-if-as": {
        const [account = "", asked = ""] = name === "what-if" ? ["", rest] : split(rest)
        const caller = readAccountName(account)
        this.engine.step([])
        const changes = readWhatIf(json(asked), caller === undefined ? {} : { caller })
        return answered(
          Result.flatMap(changes, (changes) => whatIfOf(this.engine, changes)),
          ({ decisions }) =>
            decisions.map(({ after, before, bucket, key }) =>
              `would change: ${bucket} ${key}: ${stateIn(before)} -> ${stateIn(after)}`
            )
        )
      }
      case "check": {
        const [module = "", definition = ""] = split(rest)
        const faults = checkDefinition(json(definition), module)
        return faults.length === 0 ? ["no fault"] : faults.flatMap(({ mend, path, what }) => [
          `${path.join(".") || "the definition"}: ${what}`,
          `    ${mend}`
        ])
      }
      case "read": {
        const read = parseSnapshot(rest.replaceAll("⏎", "\n"))
        return Result.isSuccess(read)
          ? ["a snapshot"]
          : [`line ${read.failure.line}, column ${read.failure.column}: ${read.failure.message}`]
      }
      default:
        throw new Error(`a story has no command ${name}`)
    }
  }

  apply(change?: Change): void {
    if (change !== undefined) {
      this.facts.apply(change)
      this.engine.take([change])
    }
    this.changed = true
    this.#decided = undefined
  }

  change(name: string, rest: string): Iterable<string> {
    const [bucket = "", keyed = ""] = split(rest)
    const [key = "", value = ""] = split(keyed)
    if (name === "close") {
      this.facts.closeBucket(bucket)
      this.engine.take([{ bucket, isThere: false }])
      this.apply()
    } else if (name === "delete") {
      this.apply({ bucket, key })
    } else {
      this.apply({ bucket, key, value: name === "put" ? json(value) : Buffer.from(value.replaceAll(" ", ""), "hex") })
    }
    return []
  }
}

const stateIn = (value: Json | undefined): string =>
  textMember(value, "state") ?? (value === undefined ? "nothing" : "there")

const split = (text: string): ReadonlyArray<string> => {
  const end = text.indexOf(" ")
  return end === -1 ? [text] : [text.slice(0, end), text.slice(end + 1)]
}

const json = (text: string): Json => JSON.parse(text)

const answered = <A>(
  answer: Result.Result<A, VerbError>,
  say: (reply: A) => ReadonlyArray<string>
): ReadonlyArray<string> =>
  Result.match(answer, { onSuccess: say, onFailure: ({ code, message }) => [`error ${code}: ${message}`] })

const shortened = (
  lines: ReadonlyArray<string>
): ReadonlyArray<string> => [...lines.slice(0, 1), "  …", ...lines.slice(-4)]

const said = (parts: { readonly [name: string]: Json }): string => {
  const names = Object.entries(parts).filter(([name]) => name !== "value").map(([name, part]) =>
    `${name} ${String(part)}`
  )
  return names.length === 0 ? "" : ` (${names.join(", ")})`
}

const treeLines = function*(
  { bucket, causes, circle, key, reason, seen, state, why }: Step,
  indent: string
): Iterable<string> {
  const marks = [state, reason && `(${reason})`, circle && `circle of ${circle.join(", ")}`, seen && "(seen)"]
  yield `${indent}${[bucket, key, ...marks.filter((mark) => mark !== undefined)].join(" ")}`
  yield* why.split("\n").filter((line) => line !== "").map((line) => `${indent}  | ${line}`)
  for (const cause of causes) {
    yield* treeLines(cause, `${indent}  `)
  }
}
