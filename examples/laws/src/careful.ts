/**
 * A rule on top of the mesh's own: at a production site nothing is undone unless a person said so. What its definition calls
 * free, and the mesh would have undone by itself, stays, and is asked about.
 */
import { type Ask, decide, decisionBuckets, type Decisions, type Facts, readKey, writeKey } from "mesh-provisioner/core"

/** Decides as the mesh does, but for what is free at production sites. */
export const careful = (productionSites: ReadonlySet<string>) => (facts: Facts): Decisions => {
  const { asks, ...decisions } = decide(facts)
  return { ...decisions, asks: new Map([...asks].map(([key, ask]) => [key, spared(facts, productionSites, key, ask)])) }
}

const spared = (facts: Facts, productionSites: ReadonlySet<string>, key: string, ask: Ask): Ask => {
  const names = readKey(decisionBuckets.asks, key)
  // A credential opens only what is undone already.
  if (names._tag === "Failure" || ask.state !== "retire" || names.success.providerModule === "mesh-vault") {
    return ask
  }
  const site = facts.machines.value(writeKey(names.success.providerNode))?.site
  return site === undefined || !productionSites.has(site) || facts.answers.value(key)?.answer === "retire"
    ? ask
    : { ...ask, state: "unneeded", why: `nobody needs it, and it is at ${site}: somebody has to say so` }
}
