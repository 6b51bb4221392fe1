/**
 * Facts changed for a moment: where a plain function decides, what would be is decided of the facts as they would be, and then
 * they are what they were.
 */
import type { EngineChange } from "../core/Engine.ts"
import type { Facts } from "../core/Facts.ts"

/** Runs with facts changed, and changes them back. */
export const withChanges = <A>(facts: Facts, changes: ReadonlyArray<EngineChange>, run: () => A): A => {
  const undo = changes.map((change) => changed(facts, change))
  try {
    return run()
  } finally {
    // A function of others' may throw: what it was asked of may not stay, for it would be written.
    undo.reverse().forEach((one) => one())
  }
}

/** Makes a change, and gives what undoes it. A bucket that vanishes comes back with all that it held. */
const changed = (facts: Facts, change: EngineChange): () => void => {
  const { bucket } = change
  const wasThere = facts.isThere(bucket)
  const undo = keysTouched(facts, change).map((key) => kept(facts, bucket, key))
  facts.apply(change)
  return () => {
    facts.apply({ bucket, isThere: wasThere })
    undo.forEach((one) => one())
  }
}

const keysTouched = (facts: Facts, change: EngineChange): ReadonlyArray<string> =>
  !("isThere" in change) ? [change.key] : change.isThere ? [] : keysIn(facts, change.bucket)

const keysIn = (facts: Facts, bucket: string): ReadonlyArray<string> => {
  const table = facts.table(bucket)
  return table === undefined ? facts.strangers(bucket) : Array.from(table.all(), ({ key }) => key)
}

/** What puts back what a key holds now. */
const kept = (facts: Facts, bucket: string, key: string): () => void => {
  const fact = facts.table(bucket)?.fact(key)
  const stranger = facts.stranger(bucket, key)
  return () => {
    facts.table(bucket)?.keep(key, fact)
    facts.keepStranger(bucket, key, stranger)
  }
}
