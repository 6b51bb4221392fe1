/**
 * Goal: a decision that the bus took and removed before it told of it (nats-server 2.9 makes room so in a bucket that is full) does
 * not count as stored: it is written again.
 */
import { expect, test } from "vitest"
import { Contents } from "../../src/provisioner/Contents.ts"

const put = (key: string, revision: number) =>
  ({ _tag: "Put", key, revision, value: new Uint8Array(), timeMillis: 0 }) as const

test("what was put and is not told of, though what came after is, is taken for gone", () => {
  const contents = new Contents()
  contents.wrote("a", 1, "put")
  contents.wrote("b", 2, "put")
  expect(contents.takeRemoved()).toEqual([])
  expect(contents.take(put("b", 2))).toBe(false)
  expect(contents.takeRemoved()).toEqual(["a"])
  expect(contents.revisionOf("a")).toBeUndefined()
  expect(contents.revisionOf("b")).toBe(2)
  expect(contents.takeRemoved()).toEqual([])
})

test("what is told of in its turn, before its answer or after, and what was put anew is not", () => {
  const contents = new Contents()
  contents.take(put("a", 1))
  contents.wrote("a", 1, "put")
  contents.wrote("b", 2, "put")
  contents.take(put("b", 2))
  contents.wrote("c", 3, "put")
  contents.wrote("c", 5, "put")
  contents.take(put("d", 4))
  expect(contents.takeRemoved()).toEqual([])
  contents.take(put("c", 5))
  contents.take(put("d", 6))
  expect(contents.takeRemoved()).toEqual([])
  expect(contents.revisionOf("c")).toBe(5)
})
