/**
 * The sentence of a health (protocol §9): what is so, by its name, and what to do.
 */
import { assert, describe, it } from "@effect/vitest"
import { type Health, healthOf } from "../../src/provisioner/Health.ts"

describe("the sentence of a health", () => {
  const none = { missing: [], lost: [], reading: [], read: 3, known: 3 }
  const sentences: ReadonlyArray<
    readonly [parts: Parameters<typeof healthOf>[0], state: Health["state"], sentence: string]
  > = [
    [none, "live", "Every bucket is read, and what is decided is written."],
    [
      { ...none, read: 0, known: 0 },
      "loading",
      "Reading which buckets there are. Nothing is written before every one is read to its end."
    ],
    [
      { ...none, read: 1, reading: [{ bucket: "mesh-host_haves", keys: 7 }, { bucket: "postgres_bound", keys: 0 }] },
      "loading",
      "Reading: 1 of 3 buckets are read to their end (mesh-host_haves: 7 keys so far, postgres_bound: 0 keys so far). " +
      "Nothing is written before all are."
    ],
    [
      { ...none, missing: ["mesh-host_haves"] },
      "missing",
      "Nothing is written: there is no bucket mesh-host_haves. Make them, by mesh-provisioner setup."
    ],
    [
      { ...none, lost: [{ bucket: "mesh-host_haves", how: "unreachable" }, { how: "unreachable" }] },
      "lost",
      "Nothing is written: the bus does not answer. It is asked again until it does."
    ],
    [
      { ...none, lost: [{ bucket: "mesh-host_haves", how: "deleted" }] },
      "lost",
      "Nothing is written: bucket mesh-host_haves is lost: it was there and is not any more. " +
      "Make it again."
    ],
    [
      { ...none, lost: [{ bucket: "postgres_bound", how: "missing" }] },
      "lost",
      "Nothing is written: bucket postgres_bound is lost: it was there and is not any more. " +
      "Let it be made again, or take away the definition of module postgres."
    ],
    [
      { ...none, lost: [{ bucket: "dns_zones", how: "missing" }, { bucket: "a\u001b_b", how: "ended" }] },
      "lost",
      "Nothing is written: bucket dns_zones is lost: it was there and is not any more. " +
      "Let it be made again, or take it out of the `answers` of the definition that names it; " +
      "the reading of bucket \"a\\u001b_b\" has ended. It is read again."
    ],
    [
      { ...none, lost: [{ how: "refused" }, { bucket: "mesh-host_haves", how: "refused" }] },
      "lost",
      "Nothing is written: this account may not read which buckets there are. Grant it; " +
      "this account may not use bucket mesh-host_haves. Grant it."
    ],
    [
      { ...none, lost: [{ bucket: "mesh-host_haves", how: "unreachable" }] },
      "lost",
      "Nothing is written: bucket mesh-host_haves does not answer. It is asked again."
    ],
    [
      {
        ...none,
        lost: [{ bucket: "mesh-host_haves", how: "unreachable" }, { bucket: "dns_bound", how: "failed", code: 10084 }]
      },
      "lost",
      "Nothing is written: bucket mesh-host_haves does not answer. It is asked again; " +
      "the bus answers by its error 10084 when bucket dns_bound is read. Look what that says of it, and in the log of the " +
      "bus; it is asked again."
    ],
    [
      { ...none, lost: [{ how: "failed" }] },
      "lost",
      "Nothing is written: the bus answers by an error of its own when which buckets there are is read. " +
      "Look what that says of it, and in the log of the bus; it is asked again."
    ],
    [
      { ...none, lost: [{ bucket: "dns_bound", how: "no-bucket" }] },
      "lost",
      "Nothing is written: bucket dns_bound is none: what is called so does not take and keep a bucket's keys. " +
      "Let it be made again, or take away the definition of module dns."
    ],
    [{ ...none, passedOver: ["junk_bound"] }, "live", "Every bucket is read, and what is decided is written."]
  ]

  it("says what is so, and what to do", () => {
    for (const [parts, state, sentence] of sentences) {
      const health = healthOf(parts)
      assert.strictEqual(health.sentence, sentence)
      assert.strictEqual(health.state, state)
    }
  })

  it("lists no more names than a person reads", () => {
    const missing = Array.from({ length: 30 }, (_, index) => `b${index}`)
    assert.include(healthOf({ ...none, missing }).sentence, "b19, and 10 more.")
  })
})
