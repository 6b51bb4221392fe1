/**
 * Goal: a change costs what it affects: as many things are decided anew as come out otherwise, and a mesh of ten times as many
 * consumers changes nothing about it.
 *
 * Method: counted, never timed. Each change is made on meshes of 40 and of 400 consumers that are alike around what changes;
 * the engine says what it decided anew, and the writes what came out otherwise.
 */
import { describe, expect, test } from "vitest"
import { Engine, type EngineChange, type EngineStep } from "../../src/core/Engine.ts"
import { bucket, consumer, costMesh, entryBy, gone, nodeOf, postgres, put } from "./CostMesh.ts"

const engineOf = (consumers: number): Engine => {
  const engine = new Engine()
  engine.step(costMesh(consumers))
  return engine
}

const sizes = [40, 400].map((consumers) => [consumers, engineOf(consumers)] as const)

/** How many writes there are to each bucket of decisions. */
const written = ({ writes }: EngineStep) => {
  const to = (name: string) => writes.filter(({ bucket }) => bucket === `mesh-provisioner_${name}`).length
  return { provisions: to("provisions"), asks: to("asks"), plans: to("plans") }
}

/** What changes would do to the larger and the smaller mesh. */
const onEach = (changes: (consumers: number) => ReadonlyArray<EngineChange>): ReadonlyArray<EngineStep> =>
  sizes.map(([consumers, engine]) => engine.whatIf(changes(consumers)))

/**
 * What a change decides anew, on the small mesh as on the large one: as many provisions and plans as come out otherwise, and
 * no more asks and claims than these.
 */
const decides = (
  changes: ReadonlyArray<EngineChange>,
  { asks = 0, claims = 0, plans = 0, provisions = 0 }: Partial<EngineStep["computed"]>
): void => {
  for (const step of onEach(() => changes)) {
    expect(step.computed).toEqual({ asks, claims, plans, provisions })
    expect(written(step)).toMatchObject({ plans, provisions })
  }
}

const one = consumer(7)
const archive = { provision: "database", local: "archive" }
const assignment = { build: "s1", instance: "i1", placement: { port: { web: 80 } } }

describe("what changes nothing decides nothing anew", () => {
  test.each(costMesh(2).map((change) => [`${change.bucket} ${"key" in change ? change.key : ""}`, change] as const))(
    "the same again: %s",
    (_, change) => {
      decides([change], {})
    }
  )

  test("a field that nobody reads", () => {
    decides([put(bucket.needs, `${one}.bound.database`, { note: "x" })], {})
    decides([put(bucket.assignments, one, { ...assignment, note: 1 })], {})
    decides([put(bucket.modules, "postgres", { ...postgres({}, 200), note: "x" })], {})
    decides([put(bucket.machines, "n0", { site: "home", seal: "k" })], {})
  })

  test("a have that says the same of how its module runs, or that nobody reads", () => {
    decides([put(bucket.haves, "n0.dns", { build: "d1", health: "healthy", words: "up for a day" })], {})
    decides([put(bucket.haves, "n0.postgres", { build: "p2", health: "failed" })], {})
  })

  test("what a consumer applied, while it runs by a plan as before", () => {
    decides([put(bucket.applied, one, { plan: "1".repeat(32), instance: "i1" })], {})
  })

  test("a provision that nobody needs, a seat that nobody reads, a machine that nobody is on", () => {
    decides([put(bucket.modules, "postgres", postgres({}, 199))], {})
    decides([put(bucket.seats, "other", { node: "n1", module: "postgres" })], {})
    decides([put(bucket.machines, "elsewhere", { site: "home", lost: true })], {})
  })
})

describe("a change of one consumer decides anew what is that consumer's and reads it", () => {
  test.each<readonly [string, ReadonlyArray<EngineChange>, Partial<EngineStep["computed"]>]>([
    ["a need of another claim", [put(bucket.needs, `${one}.bound.resolver`, { provision: "none" })], {
      claims: 1,
      provisions: 1,
      plans: 1
    }],
    ["one more need of a claim", [put(bucket.needs, `${one}.bound.alias`, { provision: "database" })], {
      claims: 1,
      provisions: 1,
      asks: 1,
      plans: 1
    }],
    ["one more need", [put(bucket.needs, `${one}.dir.data`, {})], { provisions: 1, plans: 1 }],
    ["a need garbled", [put(bucket.needs, `${one}.bound.resolver`, 1)], { provisions: 1, asks: 3, plans: 1 }],
    ["a bound entry", [put(bucket.postgres, `${one}.database`, { state: "failed", by: "n3", why: "disk" })], {
      claims: 1,
      provisions: 1,
      plans: 1
    }],
    ["a bound entry by another maker", [put(bucket.postgres, `${one}.database`, entryBy("n2"))], {
      claims: 1,
      provisions: 1,
      asks: 2,
      plans: 1
    }],
    ["a credential's entry", [gone(bucket.vault, `${one}.credential.postgres=2Edatabase=2Epassword`)], {
      provisions: 1,
      asks: 1,
      plans: 1
    }],
    ["a secret's entry", [put(bucket.vault, `${one}.secret.api`, entryBy("n0", { values: { version: 2 } }))], {
      claims: 1,
      provisions: 1,
      plans: 1
    }],
    ["a value of configuration", [put(bucket.configValues, `${one}.title`, { value: 1 })], { provisions: 1, plans: 1 }],
    ["its build", [put(bucket.assignments, one, { ...assignment, build: "s2" })], { plans: 1 }],
    ["a place", [put(bucket.assignments, one, { ...assignment, placement: { port: { web: 81 } } })], {
      provisions: 1,
      plans: 1
    }],
    ["a pin", [put(bucket.assignments, one, { ...assignment, pins: { database: { node: "n0" } } })], {
      claims: 1,
      provisions: 1,
      asks: 3,
      plans: 1
    }],
    ["what it applied is gone", [gone(bucket.applied, one)], { plans: 1 }]
  ])("%s", (_, changes, computed) => {
    decides(changes, computed)
  })

  test("a need gone has only its plan and its claim's asks", () => {
    for (const step of onEach(() => [gone(bucket.needs, `${one}.bound.database`)])) {
      expect(step.computed).toEqual({ claims: 0, provisions: 0, asks: 1, plans: 1 })
      expect(written(step)).toEqual({ provisions: 1, asks: 1, plans: 1 })
    }
  })

  test("a need's range has its claim's ask, and the need itself looked at", () => {
    for (const step of onEach(() => [put(bucket.needs, `${one}.bound.archive`, { ...archive, contract: "^1.0.0" })])) {
      expect(step.computed).toEqual({ claims: 1, provisions: 1, asks: 1, plans: 0 })
      expect(written(step)).toEqual({ provisions: 0, asks: 1, plans: 0 })
    }
  })

  test("an item of a collection and an entry that a pattern addresses, those on the node that read it", () => {
    decides([put(bucket.collect, `${nodeOf(7)}.jobs.dns`, 1)], { provisions: 5, plans: 5 })
    decides([put(bucket.licences, `${nodeOf(7)}.full`, 1)], { provisions: 5, plans: 5 })
  })
})

/** How a change of what many share compares with the mesh: all that is decided anew comes out otherwise. */
const turns = (changes: ReadonlyArray<EngineChange>): ReadonlyArray<EngineStep> => {
  const steps = onEach(() => changes)
  for (const step of steps) {
    expect(written(step).provisions).toBe(step.computed.provisions)
    expect(step.computed.provisions).toBeGreaterThan(0)
  }
  return steps
}

describe("a change of what many share decides anew those for whom it is another", () => {
  test("a have, the consumers of that provider alone, and not who serves them", () => {
    for (const step of turns([put(bucket.haves, "n0.dns", { build: "d1", health: "unhealthy" })])) {
      expect(step.computed.claims + step.computed.asks).toBe(0)
      expect(step.computed.plans).toBe(step.computed.provisions)
    }
  })

  test("a new provider, the claims that it wins", () => {
    for (const step of turns([put(bucket.assignments, `${nodeOf(7)}.postgres`, { build: "p1" })])) {
      // The archives of the five consumers on its node, and some on its site: what is held stays.
      expect(step.computed.claims).toBe(step.computed.provisions)
      expect(step.computed.claims).toBeGreaterThanOrEqual(5)
    }
    // One on no known site wins nothing from those on the consumers' own.
    decides([put(bucket.assignments, "elsewhere.postgres", { build: "p1" })], { plans: 1 })
  })

  test("a new provider, in slices: whom it wins is looked for before anything is decided", () => {
    const [whole, sliced] = [engineOf(40), engineOf(40)]
    const change = [put(bucket.assignments, `${nodeOf(7)}.postgres`, { build: "p1" })]
    const all = whole.step(change)
    const steps = [sliced.step(change, 1)]
    while (sliced.pending > 0) {
      steps.push(sliced.step([], 1))
    }
    expect(steps.slice(0, 3).flatMap(({ writes }) => writes)).toEqual([])
    expect(new Set(steps.flatMap(({ writes }) => writes.map(({ key }) => key))))
      .toEqual(new Set(all.writes.map(({ key }) => key)))
  })

  test("a new provider, the claims that nobody served", () => {
    const engine = engineOf(40)
    engine.step([put(bucket.needs, `${one}.bound.queue`, {})])
    engine.step([put(bucket.modules, "rabbit", { provides: { queue: { credential: "consumer" } } })])
    const { computed } = engine.whatIf([put(bucket.assignments, "n1.rabbit", { build: "r1" })])
    expect(computed).toEqual({ claims: 1, provisions: 1, asks: 1, plans: 2 })
  })

  test("a provider gone, the claims that it served", () => {
    for (const step of turns([gone(bucket.assignments, "n0.dns")])) {
      expect(step.computed.claims).toBe(step.computed.provisions)
      expect(step.computed.asks).toBe(0)
    }
    turns([gone(bucket.assignments, "n3.postgres")])
  })

  test("a machine's loss or site, the claims that it can touch", () => {
    turns([put(bucket.machines, "n0", { site: "home", lost: true })])
    turns([put(bucket.machines, "n3", { site: "home" })])
    for (const step of turns([put(bucket.machines, nodeOf(7), { site: "home" })])) {
      // Two unheld claims of each of the five consumers there.
      expect(step.computed.claims).toBe(10)
    }
  })

  test("one provision of two hundred, the claims of that one", () => {
    const fields = { host: "string", port: "integer", password: "secret" }
    for (
      const [index, step] of onEach(() => [
        put(bucket.modules, "postgres", postgres({ contract: { version: "1.4.0", fields } }, 200))
      ]).entries()
    ) {
      expect(step.computed.claims).toBe(2 * (sizes[index]?.[0] ?? 0))
      expect(written(step).plans).toBe(step.computed.plans)
    }
  })

  test("a kind's answer, the needs of that kind", () => {
    turns([put(bucket.modules, "other", { answers: { licence: { bucket: "other_licences", key: "<name>" } } })])
  })
})
