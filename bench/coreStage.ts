/**
 * What the benchmarks of the core stand on: engines as the daemon has them, the toy beside them, and times.
 */
import { hash } from "node:crypto"
// As in the daemon, facts are read by compiled schemas.
import "effect/schema/SchemaJITCompiler/enable"
import { type Change, type Engine, type EngineChange, Facts } from "../src/core/index.ts"
import { thingsDecidedAtOnceMin, thingsMaxAfter } from "../src/provisioner/Slices.ts"
import { Toy } from "./Toy.ts"

/** The seed of the meshes that are measured. */
export const seed = 4

/** How many rounds each measurement takes. */
export const rounds = 5

/** How many things are decided at once where nobody waits meanwhile. */
export const thingsASlice = 500

/** SHA-256 as the daemon hands it in. */
export const sha256 = (text: string): string => hash("sha256", text)

/** What a run takes, in milliseconds, and what it gives. */
export const timed = <A>(run: () => A): readonly [millis: number, result: A] => {
  const start = performance.now()
  const result = run()
  return [performance.now() - start, result]
}

/** The sum of values. */
export const sum = (values: ReadonlyArray<number>): number => values.reduce((all, one) => all + one, 0)

/** Facts as a bus has them, one after the other: the value in bytes. */
export const inBytes = function*(facts: Iterable<Change>): Iterable<Change & { readonly value: Uint8Array }> {
  for (const { bucket, key, value } of facts) {
    yield { bucket, key, value: Buffer.from(JSON.stringify(value)) }
  }
}

/** Facts, decoded. */
export const decoded = (changes: Iterable<Change>): Facts => {
  const facts = new Facts()
  for (const change of changes) {
    facts.apply(change)
  }
  return facts
}

/** Decides all that there is to decide, in slices as the daemon's, and gives what each slice took, in milliseconds. */
export const workedOff = (engine: Engine, changes: ReadonlyArray<EngineChange> = []): ReadonlyArray<number> => {
  const slices: Array<number> = []
  let pending = 1
  let thingsMax = thingsDecidedAtOnceMin
  for (let next = changes; pending > 0; next = []) {
    const [millis, step] = timed(() => engine.step(next, thingsMax))
    pending = step.pending
    thingsMax = thingsMaxAfter(thingsMax, millis)
    slices.push(millis)
  }
  return slices
}

const toyKeyOf = (index: number): string => `n${Math.floor(index / 20)}.shop${index % 20}.bound.database`

/** The toy with so many needs, each of which is provided. */
export const toyOf = (needs: number): Toy => {
  const toy = new Toy()
  for (let index = 0; index < needs; index++) {
    toy.add(toyKeyOf(index), `n${Math.floor(index / 500) * 25}.postgres`)
    toy.bound(toyKeyOf(index), "provided")
  }
  return toy
}

/** So many changes of one entry each, all over the toy, each in microseconds. */
export const toyChanges = (toy: Toy, needs: number, count: number, entry: string): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, at) => {
    const key = toyKeyOf(spread(at, needs))
    return timed(() => toy.bound(key, entry))[0] * 1_000
  })

/** The numbers below a bound, in an order that goes all over them: 7,919 has no divisor with any that is used. */
export const spread = (at: number, below: number): number => (at * 7_919) % below
