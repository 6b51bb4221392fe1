/**
 * How the command line fails: a sentence for a person, and an exit code for a program.
 */
import * as Data from "effect/Data"

/** 1 where it could not be done, or what was checked is not right; 2 where the command was written wrong. */
export type FailureCode = 1 | 2

/** What ends a command. Without a sentence, what there is to say has been said on standard output. */
export class Failure extends Data.TaggedError("Failure")<{
  readonly exitCode: FailureCode
  readonly sentence?: string
}> {}

/** It could not be done. */
export const failure = (sentence: string): Failure => new Failure({ exitCode: 1, sentence })

/** The command was written wrong. */
export const usage = (sentence: string): Failure => new Failure({ exitCode: 2, sentence })
