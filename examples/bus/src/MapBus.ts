/**
 * A bus over a plain Map, held to the contract of every bus (`test/contract.test.ts`). It keeps all that a reader has not
 * taken; one for production drops what was overtaken.
 */
import { Cause, Effect, Option, Queue } from "effect"
import * as memory from "mesh-provisioner/adapters/memory"

interface Bucket {
  /** Each key's last changes, the keys in the order of them: the start is read as it lies. */
  readonly histories: Map<string, ReadonlyArray<memory.Revision>>
  readonly readers: Set<Queue.Queue<memory.BucketEvent, memory.BusError>>
  revision: number
}

const limits = { valueBytesMax: 1_048_576, keyBytesMax: 1_024 }
const writableKey = /^[\w\-/=]+(?:\.[\w\-/=]+)*$/
const buckets = new Map<string, Bucket>()
const listeners = new Set<Queue.Queue<memory.BucketsEvent, memory.BusError>>()

export const makeBucket = (bucket: string): void => {
  if (buckets.has(bucket)) return
  buckets.set(bucket, { histories: new Map(), readers: new Set(), revision: 0 })
  for (const listener of listeners) Queue.offerUnsafe(listener, { _tag: "Appeared", bucket })
}

export const deleteBucket = (bucket: string): void => {
  const lost = new memory.BusError({ operation: "follow", bucket, reason: { _tag: "Lost", how: "deleted" } })
  for (const reader of buckets.get(bucket)?.readers ?? []) Queue.failCauseUnsafe(reader, Cause.fail(lost))
  buckets.delete(bucket)
  for (const listener of listeners) Queue.offerUnsafe(listener, { _tag: "Vanished", bucket })
}

/** Puts a value, or deletes where there is none, whatever the key. */
export const put = (bucket: Bucket, key: string, value?: Uint8Array): number => {
  const made = { key, revision: ++bucket.revision, timeMillis: Date.now() }
  const change: memory.Revision = value === undefined ? { _tag: "Delete", ...made } : { _tag: "Put", value, ...made }
  const earlier = bucket.histories.get(key) ?? []
  bucket.histories.delete(key)
  bucket.histories.set(key, [...earlier.slice(-9), change])
  for (const reader of bucket.readers) Queue.offerUnsafe(reader, change)
  return bucket.revision
}

const fail = (reason: memory.BusErrorReason, at: Pick<memory.BusError, "operation" | "bucket" | "key">) =>
  Effect.fail(new memory.BusError({ ...at, reason }))

export const open = (operation: memory.Operation, name: string, key?: string) =>
  Effect.suspend(() => {
    const bucket = buckets.get(name)
    const at = { operation, bucket: name, ...(key === undefined ? {} : { key }) }
    return bucket === undefined ? fail({ _tag: "Lost", how: "missing" }, at) : Effect.succeed(bucket)
  })

// The start is taken in the same step in which the reader is added: no change comes between.
const reading = <Event>(readers: Set<Queue.Queue<Event | memory.End, memory.BusError>>, start: () => Iterable<Event>) =>
  Effect.acquireRelease(
    Effect.map(Queue.unbounded<Event | memory.End, memory.BusError>(), (queue) => {
      Queue.offerAllUnsafe(queue, [...start(), end])
      readers.add(queue)
      return queue
    }),
    (queue) => Queue.shutdown(queue).pipe(Effect.andThen(Effect.sync(() => readers.delete(queue))))
  )

const end = { _tag: "End" } as const
const last = ({ histories }: Bucket, key: string) => histories.get(key)?.at(-1)
const isPut = (change: memory.Revision | undefined): change is memory.Put => change?._tag === "Put"

/** The bus as an account has it. */
export const as = (account: memory.Account): memory.Bus["Service"] => {
  const write = (operation: memory.Operation, bucket: string, key: string, value?: Uint8Array, expected?: number) =>
    Effect.gen(function*() {
      const refuse = (reason: memory.BusErrorReason) => fail(reason, { operation, bucket, key })
      const tooLarge = (what: "key" | "value", bytes: number, bytesMax: number) =>
        bytes > bytesMax ? refuse({ _tag: "TooLarge", what, bytes, bytesMax }) : Effect.void
      if (!writableKey.test(key)) yield* refuse({ _tag: "Refused", because: "key" })
      yield* tooLarge("key", key.length, limits.keyBytesMax)
      yield* tooLarge("value", value?.length ?? 0, limits.valueBytesMax)
      if (!memory.mayWrite(account, bucket, key)) yield* refuse({ _tag: "Refused", because: "account" })
      const opened = yield* open(operation, bucket, key)
      const before = last(opened, key)
      if (expected === undefined && isPut(before)) yield* refuse({ _tag: "Conflict" })
      if (expected !== undefined && before?.revision !== expected) yield* refuse({ _tag: "Conflict", expected })
      return put(opened, key, value?.slice())
    })
  return {
    limits,
    follow: (bucket) =>
      Effect.flatMap(
        open("follow", bucket),
        ({ histories, readers }) =>
          reading<memory.Revision>(readers, () =>
            Array.from(histories.values(), (history) => history.at(-1)).filter(isPut))
      ),
    followBuckets: reading<memory.Appeared | memory.Vanished>(
      listeners,
      () => Array.from(buckets.keys(), (bucket) => ({ _tag: "Appeared", bucket }))
    ),
    get: (bucket, key) =>
      Effect.map(open("get", bucket, key), (opened) => Option.liftPredicate(last(opened, key), isPut)),
    history: (bucket, key) => Effect.map(open("history", bucket, key), ({ histories }) => histories.get(key) ?? []),
    create: (bucket, key, value) => write("create", bucket, key, value),
    update: (bucket, key, value, revision) => write("update", bucket, key, value, revision),
    delete: (bucket, key, revision) => write("delete", bucket, key, undefined, revision)
  }
}
