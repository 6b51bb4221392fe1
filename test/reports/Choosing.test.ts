/**
 * Reports 098 to 109: which provider is chosen and kept, circles, and nodes that go and come back.
 */
import * as Result from "effect/Result"
import { explain, type Step } from "mesh-provisioner/core"
import { expect, it } from "vitest"
import { assignments, haves, lineOf, machines, makes, modules, needs, runs, Turns, webWithDatabase } from "./Turns.ts"

const permutations = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length < 2
    ? [items]
    : items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]))

it("report 098: of equals the same one is chosen in every order, and one more moves nobody who is settled", () => {
  const web = [[modules, "pg", makes("database")], [assignments, "n1.web", { build: "w1" }], [
    needs,
    "n1.web.bound.database",
    {}
  ]] as const
  const providers = ["n2.pg", "n3.pg", "n4.pg"].map((key) => [assignments, key, { build: "p1" }] as const)
  const chosen = permutations([...providers, web[0]]).map((order) =>
    new Turns().put(...order, web[1], web[2]).provision("n1.web.bound.database").provider
  )
  expect(chosen.length).toBe(24)
  expect(new Set(chosen.map((provider) => JSON.stringify(provider))).size).toBe(1)

  // Those that hold something stay: whichever comes, goes through a build, or is nearer.
  const node = chosen[0]?.node ?? ""
  const mesh = new Turns().put(...web, ...providers, ["pg_bound", "n1.web.database", { state: "provided", by: node }])
  const before = mesh.provision("n1.web.bound.database")
  for (const key of ["n0.pg", "n1.pg", "n5.pg", "n6.pg", "n7.pg", "n8.pg", "n9.pg"]) {
    mesh.put([assignments, key, { build: "p2" }])
    expect(mesh.provision("n1.web.bound.database")).toEqual(before)
  }
})

it("report 100: a contract that is another is judged in that turn, and the data stays until a pin moves it", () => {
  const mesh = webWithDatabase()
  mesh.put([needs, "n1.web.bound.database", { contract: "^2.0.0" }])
  expect(mesh.provision("n1.web.bound.database")).toMatchObject({
    state: "refused",
    reason: "unmet",
    provider: { node: "n3", module: "pg" }
  })
  expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "wanted" })

  const definition = { provides: { database: { credential: "consumer", contract: { version: "2.1.0" } } } }
  mesh.put(
    [modules, "pg2", definition],
    [assignments, "n5.pg2", { build: "q1" }],
    [assignments, "n1.web", { build: "w1", instance: "i1", pins: { database: { module: "pg2" } } }]
  )
  expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "held", "n5.pg2.n1.web.database": "wanted" })
  mesh.put(["pg2_bound", "n1.web.database", { state: "provided", by: "n5" }])
  expect(mesh.provision("n1.web.bound.database").state).toBe("provided")
  expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "unneeded", "n5.pg2.n1.web.database": "wanted" })
})

it("report 102: of forty modules, three wait for each other: the circle names exactly those, from the smallest key on", () => {
  const mesh = new Turns()
  const needsOf = (index: number): string =>
    index === 20 ? "m22" : index === 21 ? "m20" : index === 22 ? "m21" : `m${Math.max(index - 1, 10)}`
  for (let index = 10; index < 50; index += 1) {
    mesh.put(
      [modules, `m${index}`, makes(`m${index}`)],
      [assignments, `n${index}.m${index}`, { build: "b1" }],
      ...(index === 10 ? [] : [[needs, `n${index}.m${index}.bound.${needsOf(index)}`, {}] as const])
    )
  }
  const reply = explain({ facts: mesh.facts, decisions: mesh.now }, { node: "n49", module: "m49" })
  const circles = circlesIn(Result.getOrThrow(reply).tree)
  expect(circles.map(({ circle }) => circle)).toEqual([["n20.m20", "n22.m22", "n21.m21"]])
  expect(circles[0]?.why.match(/n\d+\.m\d+/g)).toEqual(["n20.m20", "n22.m22", "n21.m21", "n20.m20"])
})

const circlesIn = (
  step: Step
): ReadonlyArray<Step> => [...(step.circle === undefined ? [] : [step]), ...step.causes.flatMap(circlesIn)]

it("report 104: a module with one thing provided and one new has the new one asked, and ends with both", () => {
  const mesh = webWithDatabase().put([needs, "n1.web.bound.reports", { provision: "database", local: "reports" }])
  expect(mesh.provision("n1.web.bound.database").state).toBe("provided")
  expect(mesh.provision("n1.web.bound.reports").state).toBe("asked")
  expect(mesh.asks()).toEqual({ "n3.pg.n1.web.database": "wanted", "n3.pg.n1.web.database.reports": "wanted" })
  mesh.put(["pg_bound", "n1.web.database.reports", { state: "provided", by: "n3", values: { host: "10.0.0.3" } }])
  expect(mesh.plan("n1.web").state).toBe("ready")
})

it("report 105: an address that changes reaches its consumers in that turn, with one write for each plan", () => {
  const mesh = webWithDatabase().put(
    [modules, "dns", runs("resolver")],
    [assignments, "n4.dns", { build: "d1", placement: { access: { dns: "10.0.0.4" } } }],
    [haves, "n4.dns", { build: "d1", health: "healthy" }],
    [needs, "n1.web.bound.resolver", {}],
    [assignments, "n2.api", { build: "a1" }],
    [needs, "n2.api.bound.resolver", {}]
  )
  mesh.turn()
  const before = mesh.now
  mesh.put([assignments, "n4.dns", { build: "d1", placement: { access: { dns: "10.0.0.44" } } }])
  expect(mesh.turn().map(lineOf)).toEqual([
    "put provisions n1.web.bound.resolver",
    "put provisions n2.api.bound.resolver",
    "put plans n1.web",
    "put plans n2.api"
  ])
  expect(mesh.plan("n1.web").state).toBe("ready")
  expect(mesh.now.asks).toEqual(before.asks)
  expect(mesh.provision("n1.web.bound.database")).toEqual(before.provisions.get("n1.web.bound.database"))
})

it("report 107: a node that is removed and comes again under its name is used at once, as if it had never been away", () => {
  const node = [[machines, "n3", { site: "home" }], [assignments, "n3.pg", { build: "p1" }]] as const
  const mesh = webWithDatabase().put(...node)
  const before = mesh.now
  mesh.remove([machines, "n3"], [assignments, "n3.pg"])
  expect(mesh.provision("n1.web.bound.database")).toMatchObject({ state: "asked", reason: "holder-gone" })
  mesh.put(...node)
  expect(mesh.now).toEqual(before)
})

it("report 109: a node that stops and returns with what it had costs no ask, and nobody reads anything again", () => {
  const mesh = webWithDatabase().put(
    [modules, "dns", runs("resolver")],
    [assignments, "n3.dns", { build: "d1" }],
    [haves, "n3.dns", { build: "d1", health: "healthy" }],
    [needs, "n1.web.bound.resolver", {}],
    [machines, "n3", {}]
  )
  const before = mesh.now
  for (
    const [machine, have] of [
      [{ lost: true }, { build: "d1", health: "healthy" }],
      [{}, { build: "d1", health: "stopped" }],
      [{}, { build: "d1", health: "starting" }]
    ] as const
  ) {
    mesh.put([machines, "n3", machine], [haves, "n3.dns", have])
    expect(mesh.provision("n1.web.bound.resolver").state).toBe("asked")
    expect(mesh.now.asks).toEqual(before.asks)
    expect(mesh.plan("n1.web").digest).toBe(before.plans.get("n1.web")?.digest)
  }
  mesh.put([machines, "n3", {}], [haves, "n3.dns", { build: "d1", health: "healthy" }])
  expect(mesh.now).toEqual(before)
})
