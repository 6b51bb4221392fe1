/**
 * A mesh of any size by a seed, not the easy case: several needs a module, providers that need something themselves, several
 * deep, providers that make something for each consumer and providers that are judged by their have, sites, machines that are
 * lost, pins, secrets and credentials of the vault, seats, answers of operators, claims that nobody holds, and garbage.
 *
 * Every consumer is made of the seed and its number alone, so nothing is kept, however many there are.
 */
import type { Json } from "../src/core/index.ts"
import { type Seeded, seeded } from "../test/engine/Seeded.ts"
import { someNeeds } from "./seeded/Needs.ts"
import { definitions, ofNode, seats, serverOf } from "./seeded/Nodes.ts"
import { oddityOf, oddPins } from "./seeded/Oddities.ts"
import { credentials, need, type Put, put } from "./seeded/Put.ts"

/** Which mesh it is. */
export interface MeshOptions {
  readonly seed: number
  /** About how many needs there are. */
  readonly needs: number
}

/** A bound entry. */
interface Made {
  readonly bucket: string
  readonly key: string
  readonly value: { readonly [name: string]: Json }
}

/** A consumer, by its number: a module on a node, with several needs. */
export interface MeshConsumer {
  readonly key: string
  readonly node: string
  /** Whether something about it is as it should not be. */
  readonly isOdd: boolean
  readonly assignment: { readonly [name: string]: Json }
  /** Its need `bound.database`. */
  readonly need: Put
  /** What postgres made for that. */
  readonly database: Made
}

/** A mesh of a seed. */
export interface SeededMesh {
  /** How many consumers there are, beside providers that need something themselves. */
  readonly consumers: number
  readonly nodes: number
  /** All facts, each key once, and made anew each time they are gone through. */
  readonly facts: Iterable<Put>
  readonly consumer: (index: number) => MeshConsumer
}

/** The provider, judged by its have, that serves every other consumer: 100,000 of a million needs. */
export const hub = "n0.hub"
/** The provider, judged by its have, that serves 1,000 consumers, or as many as there are. */
export const gauge = "n1.gauge"

/** How many needs consumers have: five at the median, and on average. */
const counts: ReadonlyArray<number> = [2, 3, 4, 5, 5, 5, 5, 6, 7, 8]
const needsAConsumer = 5
const consumersANode = 20
const gaugeConsumers = 1_000

/** The mesh of a seed. */
export const seededMesh = (options: MeshOptions): SeededMesh => {
  const consumers = Math.max(1, Math.floor(options.needs / needsAConsumer))
  const nodes = Math.max(4, Math.ceil(consumers / consumersANode))
  const consumer = (index: number) => consumerOf(index)
  return {
    consumers,
    nodes,
    consumer,
    facts: { [Symbol.iterator]: () => factsOf(options.seed, consumers, nodes)[Symbol.iterator]() }
  }
}

const consumerOf = (index: number): MeshConsumer => {
  const node = Math.floor(index / consumersANode)
  const key = `n${node}.shop${index % consumersANode}`
  const isOdd = oddityOf(index) !== undefined
  return {
    key,
    node: `n${node}`,
    isOdd,
    assignment: {
      build: "s1",
      instance: `i${index}`,
      placement: { port: { web: 8_000 + index % 1_000 }, dir: { data: `/srv/shop${index}` } },
      ...(isOdd ? { pins: oddPins } : index % 100 === 0 ? { pins: { cache: { module: "redis" } } } : {})
    },
    need: need(key, "bound.database", { contract: "^1.0.0", fields: ["host", "port"] }),
    database: databaseOf(key, serverOf(node), index)
  }
}

const databaseOf = (key: string, by: string, index: number): Made => ({
  bucket: "postgres_bound",
  key: `${key}.database`,
  value: {
    state: "provided",
    by,
    values: { host: `db${index % 97}.example.org`, port: 5_432, user: `shop${index}` }
  }
})

const factsOf = function*(seed: number, consumers: number, nodes: number): Iterable<Put> {
  yield* definitions
  yield* seats
  const gaugeStride = Math.max(1, Math.floor(consumers / gaugeConsumers))
  for (let node = 0; node < nodes; node++) {
    yield* ofNode(node)
    if (node % 3 === 0) {
      yield put("acme_licences", `n${node}.full`, { plan: "full", seats: node })
    }
  }
  for (let index = 0; index < consumers; index++) {
    yield* ofConsumer(index, seeded(Math.imul(seed, 0x9e3779b1) + index), index % gaugeStride === 0)
  }
}

/** All facts of a consumer. */
const ofConsumer = function*(index: number, choose: Seeded, isGauged: boolean): Iterable<Put> {
  const { assignment, database, isOdd, key, need: databaseNeed, node } = consumerOf(index)
  const server = serverOf(Math.floor(index / consumersANode))
  const of = { key, node, module: `shop${index % consumersANode}`, server, choose }
  yield put("mesh-controller_assignments", key, assignment)
  if (choose.chance(80)) {
    yield put("mesh-provisioner_applied", key, { plan: "0".repeat(32), instance: `i${index}` })
  }
  yield databaseNeed
  yield database
  yield* credentials(key, { module: "postgres", name: "database" }, ["password"], index)
  const count = choose.among(counts) ?? needsAConsumer
  const shared = [
    ...(count > 1 ? ["bound.resolver"] : []),
    ...(index % 2 === 0 ? ["bound.events"] : []),
    ...(isGauged ? ["bound.gauges"] : [])
  ]
  for (const name of shared) {
    yield need(key, name)
  }
  yield* someNeeds(of, count - 1 - shared.length)
  if (isOdd) {
    yield* oddityOf(index)?.(of) ?? []
  }
}
