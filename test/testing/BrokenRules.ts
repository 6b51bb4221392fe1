/**
 * Rules on top of `decide`, each of which breaks a law of the protocol.
 */
import { type Ask, decide, type Decisions, type Facts, type Plan, type Provision } from "mesh-provisioner/core"
import type { Decide } from "../../src/testing/index.ts"
import { readTokens } from "../../src/testing/naive/name.ts"

const after = (rule: (decisions: Decisions, facts: Facts) => Partial<Decisions>): Decide => (facts) => {
  const decisions = decide(facts)
  return { ...decisions, ...rule(decisions, facts) }
}

const mapped = <A>(all: ReadonlyMap<string, A>, change: (one: A, key: string) => A | undefined): Map<string, A> =>
  new Map([...all].flatMap(([key, one]) => {
    const changed = change(one, key)
    return changed === undefined ? [] : [[key, changed]]
  }))

const provisions = (change: (one: Provision, key: string, facts: Facts) => Provision): Decide =>
  after(({ provisions }, facts) => ({ provisions: mapped(provisions, (one, key) => change(one, key, facts)) }))

const asks = (change: (one: Ask, key: string, facts: Facts) => Ask | undefined): Decide =>
  after(({ asks }, facts) => ({ asks: mapped(asks, (one, key) => change(one, key, facts)) }))

const plans = (change: (one: Plan, key: string, facts: Facts) => Plan | undefined): Decide =>
  after(({ plans }, facts) => ({ plans: mapped(plans, (one, key) => change(one, key, facts)) }))

const states = (from: Ask["state"], to: Ask["state"]): Decide =>
  asks((ask) => ask.state === from ? { ...ask, state: to } : ask)

const firstOf = (facts: Facts): string => [...facts.needs.named()][0]?.key ?? ""

const nodeIn = (key: string): string => readTokens(key)?.[0] ?? ""

const assignedTo = (facts: Facts, module: string): ReadonlyArray<string> =>
  [...facts.assignments.named()].filter(({ names }) => names.module === module).map(({ names }) => names.node)

const isCredential = (key: string): boolean => key.includes(".mesh-vault.") && key.includes(".credential.")

/** What decides by what it remembers. */
const rememberingCalls = (): Decide => {
  let calls = 0
  return plans((plan) => ({ ...plan, why: `${calls++}` }))
}

const rememberingFacts = (differs: (facts: Facts, met: Map<Facts, number>) => boolean): () => Decide => () => {
  const met = new Map<Facts, number>()
  return plans((plan, _, facts) => differs(facts, met) ? { ...plan, digest: "0".repeat(32) } : plan)
}

/** A faulty rule for each law, by the beginning of its sentence. */
export const brokenRules: ReadonlyArray<readonly [law: string, rule: () => Decide]> = [
  ["a change of one module's facts", () => plans((plan, _, facts) => ({ ...plan, digest: `${facts.needs.size}` }))],
  ["decide never fails", () => (facts) => {
    if (facts.isThere("__proto___bound")) throw new Error("no such module")
    return decide(facts)
  }],
  ["decide leaves the facts", rememberingCalls],
  ["decisions fed back", () => after(() => ({ answersToDelete: ["n1.postgres.n1.shop.database"] }))],
  ["decisions do not depend on order", () => plans((plan, _, facts) => ({ ...plan, why: firstOf(facts) }))],
  ["needs of one claim", () => provisions((one, _, facts) => ({ ...one, why: firstOf(facts) }))],
  [
    "decisions are the same whether",
    rememberingFacts((facts, met) => {
      met.set(facts, (met.get(facts) ?? 0) + 1)
      return (met.get(facts) ?? 0) > 2
    })
  ],
  [
    "a bucket that was lost",
    rememberingFacts((facts, met) => {
      const most = Math.max(met.get(facts) ?? 0, facts.bound.size)
      const isBack = met.has(facts) && (met.get(facts) ?? 0) < facts.bound.size
      met.set(facts, most)
      return isBack
    })
  ],
  ["without definitions", () => after(({ registry }) => ({ registry: new Map([...registry].slice(1)) }))],
  ["a kind that one module answers", () => after(() => ({ conflicts: [] }))],
  [
    "whatever the facts, what is compiled in",
    () =>
      after(({ registry }, facts) => ({
        registry: facts.modules.size > 2 ? new Map([...registry].slice(1)) : registry
      }))
  ],
  ["asked always waits", () => provisions(({ waits: _waits, ...one }) => one)],
  [
    "what it waits for",
    () =>
      provisions((one) =>
        one.reason === "provided"
          ? { ...one, state: "asked", reason: "not-bound", waits: { bucket: "mesh-controller_machines", key: "n1" } }
          : one
      )
  ],
  ["refused says who", () => provisions(({ candidates: _candidates, ...one }) => one)],
  ["whoever follows find", () => provisions((one) => one.version === undefined ? one : { ...one, version: "0" })],
  [
    "a new provider",
    () =>
      provisions((one, key, facts) =>
        one.provider !== undefined && facts.modules.value("newcomer") !== undefined
          ? { ...one, provider: { node: nodeIn(key), module: "newcomer" } }
          : one
      )
  ],
  [
    "the same module on one more node",
    () =>
      provisions((one, key, facts) =>
        one.provider !== undefined && assignedTo(facts, one.provider.module).includes(nodeIn(key))
          ? { ...one, provider: { ...one.provider, node: nodeIn(key) } }
          : one
      )
  ],
  [
    "nothing that befalls a provider",
    () =>
      provisions((one, _, facts) =>
        one.provider !== undefined && facts.machines.value(one.provider.node)?.lost === true
          ? { ...one, provider: { node: one.provider.node, module: "another" } }
          : one
      )
  ],
  [
    "no fact that is absent or garbled moves",
    () =>
      provisions((one, _, facts) =>
        one.provider !== undefined && facts.modules.value(one.provider.module) === undefined
          ? { ...one, provider: { node: one.provider.node, module: "another" } }
          : one
      )
  ],
  [
    "a pin moves",
    () =>
      provisions((one, key, facts) => {
        const holder = [...facts.bound].find(([, { named }]) => named !== undefined && one.provider !== undefined)?.[0]
        return one.provider?.module === "newcomer" && holder !== undefined
          ? { ...one, provider: { node: nodeIn(key), module: holder } }
          : one
      })
  ],
  [
    "of equals, the one",
    () =>
      provisions((one, _, facts) => {
        const [first] = assignedTo(facts, "maker")
        return one.provider === undefined || first === undefined
          ? one
          : { ...one, provider: { ...one.provider, node: first } }
      })
  ],
  [
    "who could serve is tried",
    () => provisions((one) => one.provider === undefined ? one : { ...one, provider: { ...one.provider, node: "n2" } })
  ],
  [
    "a provision is provided only",
    () => provisions((one) => one.reason === "making" ? { ...one, state: "provided", reason: "provided" } : one)
  ],
  ["failed has exactly", () => provisions((one) => one.state === "failed" ? { ...one, why: `${one.why}!` } : one)],
  [
    "a secret that a provider wrote",
    () => provisions((one) => one.reason === "secret-in-bucket" ? { ...one, reason: "field-missing" } : one)
  ],
  ["of a kind that several", () => provisions((one) => one.reason === "conflict" ? { ...one, state: "asked" } : one)],
  ["nothing becomes retire", () => states("unneeded", "retire")],
  ["while its need is there", () => states("held", "unneeded")],
  ["where nobody answered", () => states("held", "retire")],
  [
    "a credential that is wanted of nobody",
    () => asks((ask, key) => isCredential(key) && ask.state === "retire" ? { ...ask, state: "unneeded" } : ask)
  ],
  ["a consumer with a need out of shape", () => states("held", "unneeded")],
  [
    "no claim is wanted of two",
    () =>
      after(({ asks }) => ({
        asks: new Map([...asks].flatMap(([key, ask]) => [
          [key, ask] as const,
          ...ask.state === "wanted" ? [[`n9.another.${key.split(".").slice(2).join(".")}`, ask] as const] : []
        ]))
      }))
  ],
  ["nothing made is forgotten", () => asks((ask) => ask.state === "unneeded" ? undefined : ask)],
  ["every ask says why", () => asks(({ gone: _gone, ...ask }) => ask)],
  [
    "an answer stays",
    () =>
      after(({ answersToDelete }, facts) => ({
        answersToDelete: [...answersToDelete, ...Array.from(facts.answers.named(), ({ key }) => key)]
      }))
  ],
  ["an operator's keep", () => states("kept", "unneeded")],
  [
    "a provider that restarts",
    () =>
      plans((plan, _, facts) => ({
        ...plan,
        digest: `${[...facts.haves.named()].map(({ value }) => value?.health).join()}`
      }))
  ],
  ["a digest is over", () => plans((plan) => ({ ...plan, digest: plan.state }))],
  ["there is a plan for each", () => plans((plan) => plan.build === undefined ? undefined : plan)],
  ["whether it may run", () => plans((plan) => ({ ...plan, state: "ready" }))],
  ["a plan that is not assigned", () => plans(({ waits: _waits, ...plan }) => plan)],
  [
    "no value of a fact",
    () =>
      provisions((one, _, facts) => ({
        ...one,
        why: one.why +
          [...facts.bound.values()].flatMap((table) => [...table.all()].map(({ json }) => JSON.stringify(json)))
      }))
  ],
  [
    "words of others are quoted",
    () => provisions((one) => one.state === "failed" ? { ...one, why: [...one.why].slice(0, 4_095).join("") } : one)
  ]
]
