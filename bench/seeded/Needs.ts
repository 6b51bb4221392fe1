/**
 * What a consumer of a seeded mesh may need beside its database and its resolver, each with what answers it, if anything does.
 */
import type { Seeded } from "../../test/engine/Seeded.ts"
import { credentials, made, need, type Put, put } from "./Put.ts"

/** Whose need it is. */
export interface Needing {
  /** The key of the consumer. */
  readonly key: string
  readonly node: string
  /** The name of its module. */
  readonly module: string
  /** The node whose providers serve it, where they make something for each consumer. */
  readonly server: string
  readonly choose: Seeded
}

/** One thing that consumers need, some more often than others. */
interface Wanted {
  readonly weight: number
  readonly facts: (of: Needing) => Iterable<Put>
}

/** What a provider makes for each consumer: there for most of them, in the making or not begun for others. */
const perConsumer = (
  module: string,
  name: string,
  fields: ReadonlyArray<string>,
  provision: string = name
): Wanted["facts"] =>
  function*({ choose, key, server }) {
    const local = name === provision ? [] : [name]
    const claim = { module, name: [provision, ...local].join(".") }
    yield need(key, `bound.${name}`, name === provision ? {} : { provision, local: name })
    const turn = choose.below(20)
    if (turn < 17) {
      yield made(key, claim, server)
      yield* credentials(key, claim, fields)
    } else if (turn < 19) {
      yield made(key, claim, server, { state: "making", why: "the disk is being made" })
    }
  }

const menu: ReadonlyArray<Wanted> = [
  { weight: 10, facts: perConsumer("redis", "cache", []) },
  { weight: 5, facts: perConsumer("rabbit", "queue", ["password", "certificate"]) },
  { weight: 6, facts: perConsumer("postgres", "archive", ["password"], "database") },
  { weight: 3, facts: perConsumer("mail", "mailbox", ["password"]) },
  {
    weight: 3,
    facts: function*({ key }) {
      yield need(key, "bound.ledger", { fields: ["book"] })
      yield made(key, { module: "ledger", name: "ledger" }, "n1")
    }
  },
  {
    weight: 10,
    facts: function*({ choose, key }) {
      yield need(key, "bound.metrics", {
        contract: choose.chance(90) ? "^2.0.0" : ">=1.0.0",
        optional: choose.chance(20)
      })
    }
  },
  {
    weight: 4,
    facts: function*({ key }) {
      yield need(key, "bound.volume")
    }
  },
  {
    weight: 10,
    facts: function*({ choose, key }) {
      yield need(key, "secret.api")
      if (choose.chance(90)) {
        yield put("mesh-vault_bound", `${key}.secret.api`, { state: "provided", by: "n0", values: { version: 1 } })
      }
    }
  },
  {
    weight: 12,
    facts: function*({ choose, key, module }) {
      const turn = choose.below(10)
      yield need(key, "config.title", turn === 9 ? { default: "a shop" } : {})
      if (turn < 8) {
        yield put("mesh-config_values", `${key}.title`, { value: `title of ${module}` })
      }
    }
  },
  {
    weight: 10,
    facts: function*({ choose, key }) {
      yield need(key, choose.chance(90) ? "port.web" : "port.debug", { optional: choose.chance(10) })
    }
  },
  {
    weight: 7,
    facts: function*({ key }) {
      yield need(key, "dir.data")
    }
  },
  {
    weight: 6,
    facts: function*({ choose, key, module, node }) {
      yield need(key, "collected.jobs", { optional: true })
      if (choose.chance(60)) {
        yield put("mesh-provisioner_collect", `${node}.jobs.${module}`, { every: choose.below(60) })
      }
    }
  },
  {
    weight: 3,
    facts: function*({ key }) {
      yield need(key, "environment.path", { optional: true })
    }
  },
  {
    weight: 8,
    facts: function*({ key }) {
      yield need(key, "licence.full", { default: "trial" })
    }
  },
  {
    weight: 2,
    facts: function*({ key }) {
      yield need(key, "consumers.all")
    }
  },
  {
    weight: 1,
    facts: function*({ key }) {
      yield need(key, "permit.sale", { optional: true })
    }
  }
]

const weightAll = menu.reduce((sum, { weight }) => sum + weight, 0)

/** What so many different needs of a consumer come to. */
export const someNeeds = function*(of: Needing, count: number): Iterable<Put> {
  const taken = new Set<Wanted>()
  while (taken.size < Math.min(count, menu.length)) {
    const wanted = atWeight(of.choose.below(weightAll))
    if (!taken.has(wanted)) {
      taken.add(wanted)
      yield* wanted.facts(of)
    }
  }
}

const atWeight = (weight: number): Wanted => {
  let left = weight
  for (const wanted of menu) {
    left -= wanted.weight
    if (left < 0) {
      return wanted
    }
  }
  throw new Error(`${weight} is more than all weights`)
}
