/**
 * What the provisioner makes of what it hears (protocol §9), one message after the other, in orders that a bus in memory does
 * not come in.
 */
import { assert, describe, it } from "@effect/vitest"
import { type BucketEvent, type BucketsEvent, BusError, type BusErrorReason } from "../../src/adapters/memory/index.ts"
import { bucketName, decide, type Json } from "../../src/core/index.ts"
import { Contents } from "../../src/provisioner/Contents.ts"
import { byFunction } from "../../src/provisioner/Decider.ts"
import type { Heard, Order } from "../../src/provisioner/Heard.ts"
import { View } from "../../src/provisioner/View.ts"

const page = Object.values(bucketName)
const modules = bucketName.modules
const bytes = (json: Json) => new TextEncoder().encode(JSON.stringify(json))
const put = (key: string, json: Json, revision: number): BucketEvent => ({
  _tag: "Put",
  key,
  value: bytes(json),
  revision,
  timeMillis: 0
})
const gone = (key: string, revision: number): BucketEvent => ({ _tag: "Delete", key, revision, timeMillis: 0 })
const end = { _tag: "End" } as const
const appeared = (bucket: string): BucketsEvent => ({ _tag: "Appeared", bucket })
const vanished = (bucket: string): BucketsEvent => ({ _tag: "Vanished", bucket })

/** A view, and the readers that it has ordered. */
class Seen {
  readonly view = new View(byFunction(decide))
  readonly readers = new Map<string | undefined, number>()
  /** What it ordered last. */
  orders: ReadonlyArray<Order> = []

  constructor() {
    this.hear()
  }

  hear(...heard: ReadonlyArray<Heard>): void {
    this.view.hear(heard)
    this.orders = this.view.takeOrders()
    for (const order of this.orders) {
      if (order._tag === "Start") {
        this.readers.set(order.bucket, order.reader)
      } else {
        this.readers.delete(order.bucket)
      }
    }
  }

  buckets(events: ReadonlyArray<BucketsEvent>, reader = this.readers.get(undefined) ?? 0): Heard {
    return { _tag: "Buckets", reader, events }
  }

  bucket(bucket: string, events: ReadonlyArray<BucketEvent>, reader = this.readers.get(bucket) ?? 0): Heard {
    return { _tag: "Bucket", bucket, reader, events }
  }

  failed(bucket: string | undefined, reason: BusErrorReason, reader = this.readers.get(bucket) ?? 0): Heard {
    return { _tag: "Failed", bucket, reader, error: new BusError({ operation: "follow", reason }) }
  }

  /** How often each bucket was ordered to be read, of the last orders. */
  get started(): ReadonlyArray<string | undefined> {
    return this.orders.flatMap((order) => order._tag === "Start" ? [order.bucket] : [])
  }
}

const missing = { _tag: "Lost", how: "missing" } as const
const deleted = { _tag: "Lost", how: "deleted" } as const

/** A view of the page's buckets and of these, all read to their end and empty but for a definition of postgres. */
const whole = (...more: ReadonlyArray<string>): Seen => {
  const seen = new Seen()
  const buckets = [...page, ...more]
  seen.hear(seen.buckets([...buckets.map(appeared), end]))
  seen.hear(...buckets.map((bucket) => seen.bucket(bucket, bucket === modules ? [put("postgres", {}, 1), end] : [end])))
  assert.isTrue(seen.view.isWhole)
  seen.view.factsChanged = 0
  seen.view.due.take(seen.view.stored, decide({ buckets: {} }), () => false)
  return seen
}

describe("the list of the buckets", () => {
  it("is read first, and nothing counts as whole before it has come to its end", () => {
    const seen = new Seen()
    assert.deepStrictEqual([...seen.readers.keys()], [undefined])
    assert.isFalse(seen.view.isWhole)
    seen.hear(seen.buckets(page.map(appeared)))
    assert.deepStrictEqual(seen.started, [])
    assert.strictEqual(seen.view.health().state, "loading")
    seen.hear(seen.buckets([end]))
    assert.sameMembers([...seen.started], page)
  })

  it("that is read anew without a bucket has lost it", () => {
    const seen = whole("postgres_bound")
    seen.hear(seen.failed(undefined, { _tag: "Unreachable" }))
    assert.deepStrictEqual(seen.started, [undefined])
    assert.isFalse(seen.view.isWhole)
    seen.hear(seen.buckets([...page.map(appeared), end]))
    assert.deepStrictEqual(seen.view.health().lost, [{ bucket: "postgres_bound", how: "missing" }])
    assert.deepInclude(seen.orders, { _tag: "Stop", bucket: "postgres_bound" })
  })

  it("says that a bucket vanished before its reading fails: what that reading still says is passed over", () => {
    const seen = whole("postgres_bound")
    const old = seen.readers.get("postgres_bound") ?? 0
    seen.hear(seen.buckets([vanished("postgres_bound")]))
    assert.deepStrictEqual(seen.view.health().lost, [{ bucket: "postgres_bound", how: "missing" }])
    assert.deepStrictEqual(seen.orders, [{ _tag: "Stop", bucket: "postgres_bound" }])
    seen.hear(seen.bucket("postgres_bound", [put("n1.a.b", {}, 9)], old), seen.failed("postgres_bound", deleted, old))
    assert.deepStrictEqual(seen.orders, [])
    assert.strictEqual(seen.view.factsChanged, 0)
    seen.hear(seen.buckets([appeared("postgres_bound")]))
    assert.deepStrictEqual(seen.started, ["postgres_bound"])
    const again = seen.readers.get("postgres_bound")
    seen.hear(seen.failed("postgres_bound", deleted, old))
    assert.deepStrictEqual(seen.orders, [])
    assert.strictEqual(seen.readers.get("postgres_bound"), again)
  })

  it("of an abandoned reader is passed over", () => {
    const seen = whole("postgres_bound")
    const old = seen.readers.get(undefined)
    seen.hear({ _tag: "Compare" }, seen.buckets([end], old))
    assert.deepStrictEqual(seen.view.health().lost, [])
    seen.hear(seen.buckets([vanished("postgres_bound")], old))
    assert.deepStrictEqual(seen.view.health().lost, [])
  })
})

describe("a bucket whose reading fails", () => {
  it("is begun anew later each time, and at once when it appears", () => {
    const seen = whole("postgres_bound")
    const attempts: Array<number> = []
    for (let round = 0; round < 3; round++) {
      seen.hear(seen.failed("postgres_bound", { _tag: "Lost", how: "ended" }))
      attempts.push(...seen.orders.flatMap((order) => order._tag === "Start" ? [order.attempt] : []))
    }
    seen.hear(seen.buckets([appeared("postgres_bound")]))
    attempts.push(...seen.orders.flatMap((order) => order._tag === "Start" ? [order.attempt] : []))
    assert.deepStrictEqual(attempts, [1, 2, 3, 0])
  })

  it("because it is not there, with no definition, is empty, and is not begun anew until it appears", () => {
    const seen = whole("gone_bound")
    seen.hear(seen.failed("gone_bound", missing))
    assert.isTrue(seen.view.isWhole)
    seen.hear(seen.bucket(modules, [put("other", {}, 5)]))
    assert.deepStrictEqual(seen.started, [])
    seen.hear(seen.buckets([appeared("gone_bound")]))
    assert.deepStrictEqual(seen.started, ["gone_bound"])
  })

  it("because it was deleted may be there again: it is looked for at once, and only then taken for gone", () => {
    const seen = whole("gone_bound")
    seen.hear(seen.failed("gone_bound", deleted))
    assert.deepStrictEqual(seen.started, ["gone_bound", "gone_bound"])
    assert.deepStrictEqual(seen.view.health().lost, [])
    assert.isFalse(seen.view.isWhole)
    seen.hear(seen.failed("gone_bound", missing))
    assert.isTrue(seen.view.isWhole)
  })

  it("keeps what it held until it is heard of again, or its start comes to the end without it", () => {
    const seen = whole()
    seen.hear(seen.bucket(modules, [put("shop", {}, 2), put("web", {}, 3)]))
    seen.view.factsChanged = 0
    seen.hear(seen.failed(modules, deleted))
    assert.isDefined(seen.view.facts.modules.fact("shop"))
    // It is another bucket now, whose revisions begin anew.
    seen.hear(seen.bucket(modules, [put("shop", {}, 1), put("postgres", { provides: {} }, 2)]))
    assert.isDefined(seen.view.facts.modules.fact("web"))
    assert.strictEqual(seen.view.factsChanged, 1)
    assert.isFalse(seen.view.isWhole)
    seen.hear(seen.bucket(modules, [end, put("late", {}, 3)]))
    assert.isUndefined(seen.view.facts.modules.fact("web"))
    assert.strictEqual(seen.view.factsChanged, 3)
  })

  it("before its start came to the end: what it told of and is gone when that does is gone", () => {
    const seen = new Seen()
    seen.hear(seen.buckets([...page.map(appeared), end]))
    seen.hear(seen.bucket(modules, [put("shop", {}, 1), put("web", {}, 2)]))
    seen.hear(seen.failed(modules, { _tag: "Lost", how: "ended" }))
    seen.hear(seen.bucket(modules, [put("shop", {}, 1)]))
    seen.hear(seen.failed(modules, { _tag: "Lost", how: "ended" }))
    assert.isDefined(seen.view.facts.modules.fact("web"))
    seen.hear(seen.bucket(modules, [put("shop", {}, 1), end]))
    assert.isDefined(seen.view.facts.modules.fact("shop"))
    assert.isUndefined(seen.view.facts.modules.fact("web"))
  })
})

describe("the hourly compare", () => {
  it("reads everything again, and counts as whole when all has come to its end", () => {
    const seen = whole("postgres_bound")
    seen.hear({ _tag: "Compare" })
    assert.sameMembers([...seen.started], [undefined, ...page, "postgres_bound"])
    assert.isFalse(seen.view.isWhole)
    assert.strictEqual(seen.view.health().state, "live")
    seen.hear(seen.buckets([...page.map(appeared), appeared("postgres_bound"), end]))
    const all = [...page, "postgres_bound"]
    for (const bucket of all) {
      assert.isFalse(seen.view.isWhole)
      seen.hear(seen.bucket(bucket, bucket === modules ? [put("postgres", {}, 1), end] : [end]))
    }
    assert.isTrue(seen.view.isWhole)
    assert.strictEqual(seen.view.factsChanged, 0)
  })

  it("hears no more of the readings that it replaced", () => {
    const seen = whole()
    const old = seen.readers.get(bucketName.haves)
    seen.hear({ _tag: "Compare" })
    seen.hear(seen.bucket(bucketName.haves, [put("n1.a", {}, 7), end], old))
    assert.strictEqual(seen.view.factsChanged, 0)
    seen.hear(seen.failed(bucketName.haves, deleted, old))
    assert.deepStrictEqual(seen.view.health().lost, [])
  })
})

describe("what a stored decision tells", () => {
  it("another's change of one may need mending, and its holder's mark does not", () => {
    const seen = whole()
    seen.hear(seen.bucket(bucketName.plans, [put("_epoch", {}, 1)]))
    assert.isFalse(seen.view.due.isAny)
    seen.hear(seen.bucket(bucketName.plans, [put("n1.shop", {}, 2)]))
    assert.isTrue(seen.view.due.isAny)
  })

  it("an own write coming back changes nothing, however late, and a put of another after it does", () => {
    const seen = whole()
    const { view } = seen
    view.wrotePut(bucketName.plans, "n1.shop", 1, { a: 1 })
    view.wrotePut(bucketName.plans, "n1.shop", 2, { a: 2 })
    view.wroteDelete(bucketName.plans, "n1.shop", 3)
    assert.isUndefined(view.contents(bucketName.plans)?.revisionOf("n1.shop"))
    seen.hear(seen.bucket(bucketName.plans, [put("n1.shop", { a: 1 }, 1)]))
    seen.hear(seen.bucket(bucketName.plans, [put("n1.shop", { a: 2 }, 2), gone("n1.shop", 3)]))
    assert.isFalse(view.due.isAny)
    assert.isUndefined(view.stored.writeOf(bucketName.plans, "n1.shop", undefined))
    assert.strictEqual(view.contents(bucketName.plans)?.size, 0)
    seen.hear(seen.bucket(bucketName.plans, [put("n1.shop", { a: 4 }, 4)]))
    assert.isTrue(view.due.isAny)
    assert.strictEqual(view.contents(bucketName.plans)?.revisionOf("n1.shop"), 4)
  })
})

describe("the contents of a bucket", () => {
  it("a change that comes after a later one is passed over, even of a key that is gone", () => {
    const contents = new Contents()
    const take = (event: BucketEvent) => event._tag !== "End" && contents.take(event)
    assert.isTrue(take(put("a", 1, 1)))
    assert.isTrue(take(gone("a", 2)))
    assert.isFalse(take(put("a", 1, 1)))
    assert.isFalse(take(gone("a", 2)))
    assert.isUndefined(contents.revisionOf("a"))
    assert.isFalse(take(gone("never", 3)))
  })
})
