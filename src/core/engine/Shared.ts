/**
 * What many share, looked at once all changes are in and before anything is decided: the registry, the outcomes of
 * providers, and who is a candidate. Only whom it is another for is decided anew.
 */
import { sameJson } from "../Json.ts"
import { writeKey } from "../Key.ts"
import { readHave } from "../Outcome.ts"
import { registryOf } from "../Registry.ts"
import { startReading, stopReading } from "./NoticeConsumer.ts"
import { noticeSeatsNeeds } from "./NoticeShared.ts"
import type { World } from "./World.ts"

/**
 * Looks at what was touched of what many share, and marks what it is another for.
 *
 * @param looksMax how often a candidate is looked at for a claim at most.
 * @returns whether all was looked at: nothing may be decided before.
 */
export const settleShared = (world: World, looksMax: number): boolean => {
  const { agenda, index, touched } = world
  if (touched.registry) {
    settleRegistry(world)
  }
  for (const key of touched.haves) {
    settleHave(world, key)
  }
  touched.registry = false
  touched.haves.clear()
  let looks = looksMax
  for (const provision of touched.provisions) {
    if (looks > 0) {
      looks -= provision.contest(index, looks, (claim) => agenda.resolution(claim))
    }
    if (provision.isTouched) {
      return false
    }
    touched.provisions.delete(provision)
    index.dropProvision(provision)
  }
  return true
}

const settleRegistry = (world: World): void => {
  const { agenda, index, said } = world
  const before = index.registry
  const after = registryOf(index.facts)
  const kinds = new Set(
    [...before.entries, ...before.contested, ...after.entries, ...after.contested].map(([kind]) => kind)
  )
  const changed = [...kinds].filter((kind) =>
    !sameJson(before.entries.get(kind), after.entries.get(kind)) ||
    !sameJson(before.contested.get(kind), after.contested.get(kind))
  )
  const needs = changed.flatMap((kind) => [...index.needsByKind.get(kind) ?? []])
  needs.forEach((need) => stopReading(world, need))
  index.registry = after
  for (const need of needs) {
    startReading(world, need)
    agenda.need(need)
  }
  for (const kind of changed) {
    const entry = after.entries.get(kind)
    if (entry !== undefined) {
      said.put("registry", writeKey(kind), before.entries.get(kind), entry)
    } else if (before.entries.has(kind)) {
      said.delete("registry", writeKey(kind))
    }
  }
  said.conflictsBefore ??= before.conflicts
}

const settleHave = (world: World, key: string): void => {
  const { agenda, index } = world
  const provider = index.providerRecords.get(key)
  const have = provider?.have && readHave(index, provider.on)
  if (provider === undefined || have === undefined || sameJson(provider.have, have)) {
    return
  }
  provider.have = have
  provider.provision = undefined
  for (const claim of provider.claims) {
    if (claim.resolution?._tag === "Served" && claim.resolution.contract.credential === "none") {
      agenda.outcome(claim)
    }
  }
  for (const seat of index.seatsHeld.get(key) ?? []) {
    noticeSeatsNeeds(world, seat)
  }
}
