/**
 * A rule that seems to be as good: what a lost machine made is given up at once, for nobody hears of it anyway.
 */
import { type Ask, decide, decisionBuckets, type Decisions, type Facts, readKey, writeKey } from "mesh-provisioner/core"

/** Decides as the mesh does, but for what lost machines made. */
export const hasty = (facts: Facts): Decisions => {
  const { asks, ...decisions } = decide(facts)
  return { ...decisions, asks: new Map([...asks].map(([key, ask]) => [key, givenUp(facts, key, ask)])) }
}

const givenUp = (facts: Facts, key: string, ask: Ask): Ask => {
  const names = readKey(decisionBuckets.asks, key)
  const isLost = names._tag === "Success" &&
    facts.machines.value(writeKey(names.success.providerNode))?.lost === true
  return isLost && ask.state !== "wanted" ? { ...ask, state: "retire", why: "its machine is lost" } : ask
}
