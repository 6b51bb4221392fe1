/**
 * The service, asked as its users ask it.
 */
import assert from "node:assert/strict"
import { once } from "node:events"
import { test } from "node:test"
import { makeService } from "../src/service.ts"

const ask = async (path: string, body: string): Promise<{ readonly status: number; readonly text: string }> => {
  const service = makeService(new Set(["home"])).listen(0, "127.0.0.1")
  try {
    await once(service, "listening")
    const address = service.address()
    assert.ok(typeof address === "object" && address !== null)
    const response = await fetch(`http://127.0.0.1:${address.port}${path}`, { method: "POST", body })
    return { status: response.status, text: await response.text() }
  } finally {
    service.close()
    service.closeAllConnections()
  }
}

test("a snapshot gives a verdict on each plan", async () => {
  const snapshot = { buckets: { "mesh-controller_assignments": { "n1.shop": { build: "s1" } } } }
  const { status, text } = await ask("/verdicts", JSON.stringify(snapshot))
  assert.equal(status, 200)
  assert.deepEqual(JSON.parse(text), { plans: { "n1.shop": { state: "ready", why: "" } } })
})

test("what is no snapshot is said, with its place", async () => {
  const { status, text } = await ask("/verdicts", `{\n  "buckets": []\n}`)
  assert.equal(status, 400)
  assert.match(text, /Line 2, column 14: /)
})

test("a name like __proto__ is a name", async () => {
  const { status, text } = await ask(
    "/verdicts",
    `{"buckets":{"mesh-controller_assignments":{"__proto__.__proto__":{"build":"b"}}}}`
  )
  assert.equal(status, 200)
  assert.match(text, /"__proto__\.__proto__"/)
})

test("anything else is not there", async () => {
  assert.equal((await ask("/", "")).status, 404)
})
