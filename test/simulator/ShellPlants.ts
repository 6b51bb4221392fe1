/**
 * Faults to be planted in the shell: in what it knows of the bus, what it compares, its loop, readers and writer.
 */
import { type Plant, plant } from "./Plant.ts"

/** The faults of the shell. */
export const shellPlants: ReadonlyArray<Plant> = [
  plant(
    "a diff that forgets deletes",
    "provisioner/StoredDecisions.ts",
    "return there === undefined ? undefined : { op: \"delete\", bucket, key }",
    "return undefined",
    "as decided",
    "nothing stuck"
  ),
  plant(
    "a diff that compares no values",
    "provisioner/StoredDecisions.ts",
    "there !== undefined && isSame(there, wanted)",
    "there !== undefined",
    "as decided",
    "nothing stuck"
  ),
  plant(
    "a watch read anew that keeps what was deleted",
    "provisioner/Reading.ts",
    "this.contents.keysNotIn(fresh)",
    "this.contents.keysNotIn(this.contents)",
    "as decided",
    "nothing stuck"
  ),
  plant(
    "a lost bucket taken for empty",
    "provisioner/Readings.ts",
    "if (!isWhole && !isPassedOver) {",
    "if (false) {",
    "not on what is lost",
    "asked rightly"
  ),
  plant(
    "due keys lost when the bus stops",
    "simulator/Turns.ts",
    "outcome === \"stopped\" || outcome === \"overtaken\"",
    "outcome === \"overtaken\"",
    "as decided",
    "nothing stuck",
    "nothing undone"
  ),
  plant(
    "what another wrote not compared",
    "provisioner/View.ts",
    "if (key !== epochKey && this.stored.read(bucket, key, value)) {",
    "if (this.stored.read(bucket, key, value) && key === epochKey) {",
    "as decided",
    "nothing stuck"
  ),
  plant(
    "due keys lost when the bus stops the loop",
    "provisioner/Loop.ts",
    "outcome === \"stopped\" || outcome === \"overtaken\" ? [write] : []",
    "outcome === \"overtaken\" ? [write] : []",
    "as decided",
    "nothing stuck",
    "nothing undone"
  ),
  plant(
    "a reading that fails told to nobody",
    "provisioner/Reader.ts",
    "Effect.asVoid(Queue.offer(inbox, { _tag: \"Failed\", bucket, reader, error })))",
    "error._tag === \"BusError\" ? Effect.void : Effect.void)",
    "as decided",
    "at rest",
    "nothing stuck"
  ),
  plant(
    "a loop that stays paused",
    "provisioner/Loop.ts",
    "this.#isPaused &&= !isRetry",
    "this.#isPaused &&= isRetry || !isRetry",
    "as decided",
    "nothing stuck"
  ),
  plant(
    "the whole never compared again",
    "provisioner/Provisioner.ts",
    "Effect.forever(compare)",
    "Effect.never",
    "as decided",
    "nothing stuck"
  ),
  plant(
    "what was overtaken once never tried again",
    "provisioner/Writer.ts",
    "return this.#putOffs.isDue(write)",
    "return this.#putOffs.isDue(write) && !this.#overtakenTimes.has(idOf(write))",
    "as decided",
    "nothing stuck"
  ),
  plant(
    "a daemon that does not hear that its term is over",
    "provisioner/Daemon.ts",
    "Effect.raceAllFirst([term.over, provisioner.ended, lossOf(provisioner)])",
    "Effect.raceAllFirst([provisioner.ended, lossOf(provisioner)])",
    "as decided",
    "nothing stuck"
  )
]
