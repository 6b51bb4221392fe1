/**
 * Who may write what (protocol §3, §9). The table is written out here from the protocol and read off nothing.
 */
import { Effect } from "effect"
import assert from "node:assert/strict"
import type { Account } from "../../ports/Account.ts"
import { BusDoor, type BusLaw, bytes, holds, law, reasonOf, takeStart, textOf } from "./BusDoor.ts"

/** Who writes each bucket; a host's and a client's keys are those of their own node alone. */
const writers: ReadonlyArray<readonly [bucket: string, writer: string]> = [
  ["mesh-controller_modules", "controller"],
  ["mesh-controller_assignments", "controller"],
  ["mesh-controller_machines", "controller"],
  ["mesh-controller_seats", "controller"],
  ["mesh-config_values", "operator"],
  ["mesh-host_haves", "host"],
  ["mesh-provisioner_needs", "client"],
  ["mesh-provisioner_applied", "client"],
  ["mesh-provisioner_collect", "client"],
  ["mesh-provisioner_answers", "provisioner"],
  ["mesh-provisioner_registry", "provisioner"],
  ["mesh-provisioner_provisions", "provisioner"],
  ["mesh-provisioner_plans", "provisioner"],
  ["mesh-provisioner_asks", "provisioner"],
  ["postgres_bound", "provider postgres"],
  ["dns_bound", "provider dns"],
  ["dns_zones", "provider dns"]
]

const accounts: ReadonlyArray<Account> = [
  { role: "provisioner" },
  { role: "controller" },
  { role: "operator" },
  { role: "reader" },
  { role: "host", node: "n1" },
  { role: "host", node: "n2" },
  { role: "client", node: "n1" },
  { role: "client", node: "n2" },
  { role: "provider", module: "postgres" },
  { role: "provider", module: "dns" }
]

const nameOf = (account: Account): string =>
  "node" in account
    ? `${account.role} ${account.node}`
    : "module" in account
    ? `provider ${account.module}`
    : account.role

/** Whether the protocol has an account write a key whose first token is a node's. */
const may = (account: Account, writer: string, node: string): boolean =>
  "node" in account ? account.role === writer && account.node === node : nameOf(account) === writer

// The last begins as n1's own do, and is another node's.
const nodes = ["n1", "n2", "n10"]

/** Each account, on each bucket of the table. */
export const permissions: ReadonlyArray<BusLaw> = [
  ...accounts.map((account) =>
    law(`${nameOf(account)} writes what is its own, and nothing else`, function*() {
      const door = yield* BusDoor
      yield* Effect.forEach(writers, ([bucket]) => door.makeBucket(bucket))
      const admin = yield* door.connect({ role: "admin" })
      const bus = yield* door.connect(account)
      for (const [bucket, writer] of writers) {
        for (const node of nodes) {
          const key = `${node}.permitted.${nameOf(account).replace(" ", "-")}`
          const what = `${bucket} ${key}`
          if (may(account, writer, node)) {
            const created = yield* bus.create(bucket, key, bytes("mine"))
            const updated = yield* bus.update(bucket, key, bytes("mine again"), created)
            assert.strictEqual(yield* holds(admin, bucket, key), "mine again", what)
            yield* bus.delete(bucket, key, updated)
            assert.strictEqual(yield* holds(admin, bucket, key), undefined, what)
          } else {
            const refused = { _tag: "Refused", because: "account" } as const
            assert.deepStrictEqual(yield* reasonOf(bus.create(bucket, key, bytes("not mine"))), refused, what)
            const planted = yield* admin.create(bucket, key, bytes("another's"))
            assert.deepStrictEqual(
              yield* reasonOf(bus.update(bucket, key, bytes("not mine"), planted)),
              refused,
              what
            )
            assert.deepStrictEqual(yield* reasonOf(bus.delete(bucket, key, planted)), refused, what)
            assert.strictEqual(yield* holds(admin, bucket, key), "another's", what)
            yield* admin.delete(bucket, key, planted)
          }
        }
      }
    })
  ),

  law("a node's client writes its own node's keys alone, and a key of one token is nobody's", function*() {
    const door = yield* BusDoor
    const bus = yield* door.connect({ role: "client", node: "n1" })
    for (const key of ["n1", "n11.a.port.http", "N1.a.port.http", "n=31.a.port.http"]) {
      const reason = yield* reasonOf(bus.create("mesh-provisioner_needs", key, bytes("{}")))
      assert.deepStrictEqual(reason, { _tag: "Refused", because: "account" }, key)
    }
  }),

  law("one writer's changes are seen by another who follows", function*() {
    const door = yield* BusDoor
    const client = yield* door.connect({ role: "client", node: "n1" })
    const provisioner = yield* door.connect({ role: "provisioner" })
    const created = yield* client.create("mesh-provisioner_needs", "n1.seen.port.http", bytes("{}"))
    const start = yield* takeStart(yield* provisioner.follow("mesh-provisioner_needs"))
    const seen = start.flatMap((event) =>
      event._tag === "Put" && event.key === "n1.seen.port.http" ? [textOf(event.value)] : []
    )
    assert.deepStrictEqual(seen, ["{}"])
    yield* client.delete("mesh-provisioner_needs", "n1.seen.port.http", created)
  })
]
