/**
 * Values held against their schemas (protocol §3): what comes out is in shape, or a list of what is wrong that names
 * paths and expectations, never what a stranger wrote there.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { faultsSaidMax } from "./Limits.ts"
import { faultsWhy } from "./Words.ts"

/** One thing that is wrong with a value: where, and what was expected there. */
export interface Fault {
  readonly path: ReadonlyArray<string>
  readonly expected: string
}

/** A value against its schema, made once for each schema: the value in shape, or every fault it has. */
export const shape = <A>(
  schema: Schema.Codec<A, unknown>
): (value: unknown) => Result.Result<A, ReadonlyArray<Fault>> => {
  const decode = Schema.decodeUnknownResult(schema)
  const decodeWhole = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (value) => {
    const quick = decode(value)
    if (Result.isSuccess(quick)) {
      return Result.succeed(quick.success)
    }
    const whole = decodeWhole(value)
    return Result.fail(faultsOf(Result.isFailure(whole) ? whole.failure.issue : quick.failure.issue))
  }
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const faultsOf = (issue: SchemaIssue.Issue): ReadonlyArray<Fault> =>
  format(issue).issues.map((found) => ({
    path: (found.path ?? []).map((step) => String(typeof step === "object" ? step.key : step)),
    expected: found.message === "Missing key"
      ? "is missing"
      : withArticle(found.message).replace(/^Expected/, "expected")
  }))

// A schema names its type alone: `Expected string`.
const withArticle = (message: string): string =>
  message.replace(/^Expected (?=(?:string|boolean|number)$)/, "Expected a ")
    .replace(/^Expected (?=(?:object|array)$)/, "Expected an ")

/** The faults with one more step before their paths. */
export const under = (step: ReadonlyArray<string>, faults: ReadonlyArray<Fault>): ReadonlyArray<Fault> =>
  faults.map((fault) => ({ path: [...step, ...fault.path], expected: fault.expected }))

/** What is wrong, as one sentence: the first faults by their paths, and how many more there are. */
export const sayFaults = (faults: ReadonlyArray<Fault>): string =>
  faultsWhy(faults.slice(0, faultsSaidMax), faults.length - faultsSaidMax)
