/**
 * What is odd about some consumers of a seeded mesh: one thing each, one after the other, so that every state and reason
 * occurs in any mesh of some thousands of needs.
 */
import { digest, type Json } from "../../src/core/index.ts"
import type { Needing } from "./Needs.ts"
import { credentials, made, need, type Put, put } from "./Put.ts"

type Oddity = (of: Needing) => Iterable<Put>

const odd = { module: "postgres", name: "database.odd" }
const oddNeed = (key: string, value: { readonly [name: string]: Json } = {}): Put =>
  need(key, "bound.odd", { provision: "database", local: "odd", ...value })

/** A second database, with an entry that is not as it should be. */
const entry = (more: { readonly [name: string]: Json }): Oddity =>
  function*({ key, server }) {
    yield oddNeed(key)
    yield made(key, odd, server, more)
  }

/** A need alone. */
const alone = (name: string, value: Json = {}): Oddity =>
  function*({ key }) {
    yield need(key, name, value)
  }

/** Something that was made for a need that is there no more, and what an operator says of it. */
const left = (answer?: "keep" | "retire"): Oddity =>
  function*({ key, server }) {
    const claim = { module: "postgres", name: "database.left" }
    const values = { host: "db.example.org", port: 5_432, user: key }
    yield made(key, claim, server, { values })
    yield* credentials(key, claim, ["password"])
    if (answer !== undefined) {
      yield put("mesh-provisioner_answers", `${server}.postgres.${key}.database.left`, {
        answer,
        entry: digest({ by: server, values }),
        by: "ann"
      })
    }
  }

const oddities: ReadonlyArray<Oddity> = [
  entry({ state: "failed", why: "the disk is full" }),
  entry({ state: "failed" }),
  entry({ state: "retired" }),
  entry({ state: "making" }),
  entry({ for: "an earlier one" }),
  entry({ values: { host: "db.example.org" } }),
  entry({ values: { host: "db.example.org", port: 5_432, user: "shop", password: "open" } }),
  entry({ by: "n9999999" }),
  entry({ also: ["n0", "n25"] }),
  entry({ by: 7 }),
  // Pinned away from the node that made it; what it made stays there until somebody says otherwise.
  function*({ key, server }) {
    yield need(key, "bound.pinned", { provision: "database", local: "pinned" })
    yield made(key, { module: "postgres", name: "database.pinned" }, server)
  },
  // Of the two databases that say to be its, nobody can tell which one has its data.
  function*({ key, server }) {
    yield oddNeed(key)
    yield made(key, odd, server)
    yield made(key, { module: "mysql", name: "database.odd" }, "n1")
  },
  // Everything is made, but the vault has failed to make the password, or has not begun.
  function*({ key, server }) {
    yield oddNeed(key)
    yield made(key, odd, server)
    yield put("mesh-vault_bound", `${key}.credential.postgres=2Edatabase=2Eodd=2Epassword`, {
      state: "failed",
      by: "n0",
      why: "the vault is sealed"
    })
  },
  function*({ key, server }) {
    yield oddNeed(key)
    yield made(key, odd, server)
  },
  function*({ key }) {
    yield oddNeed(key)
  },
  // Two needs of one claim, of which only one can be met.
  function*({ key }) {
    yield need(key, "bound.metrics-old", { provision: "metrics", local: "two", contract: "^1.0.0", optional: true })
    yield need(key, "bound.metrics-new", { provision: "metrics", local: "two", contract: "^2.0.0" })
  },
  alone("bound.unicorn"),
  alone("bound.unicorn", { own: true }),
  alone("bound.gold", { provision: "metrics", local: "gold", contract: "^9.0.0" }),
  alone("bound.solitude"),
  alone("weather.today"),
  alone("badge.gold"),
  alone("config.shape", { optional: "perhaps" }),
  alone("bound.secret"),
  alone("bound.long", { provision: "database", local: "x".repeat(1_010) }),
  function*({ key }) {
    yield put("mesh-provisioner_needs", `${key}.bound`, {})
    yield put("mesh-host_haves", `${key}=zz`, { build: "s1", health: "healthy" })
  },
  left(),
  left("keep"),
  left("retire"),
  // Not assigned, or no more: it needs something all the same.
  function*({ key, server }) {
    yield need(`${key}-gone`, "bound.database")
    yield made(`${key}-gone`, { module: "postgres", name: "database" }, server)
  }
]

/** One of so many consumers is odd. */
const consumersAnOddity = 25

/** What is odd about a consumer, by its number, if anything is. */
export const oddityOf = (index: number): Oddity | undefined =>
  index % consumersAnOddity === consumersAnOddity - 1
    ? oddities[Math.floor(index / consumersAnOddity) % oddities.length]
    : undefined

/** The pins of odd consumers, which only one oddity is about. */
export const oddPins: { readonly [claim: string]: Json } = { "database.pinned": { module: "postgres", node: "n0" } }
