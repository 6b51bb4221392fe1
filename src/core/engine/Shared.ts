/**
 * What many share, looked at once all changes are in and before anything is decided: the registry, the outcomes of
 * providers, and who is a candidate. Only whom it is another for is decided anew.
 */
import { sameJson } from "../Json.ts"
import { writeKey } from "../Key.ts"
import { readHave } from "../Outcome.ts"
import { registryOf } from "../Registry.ts"
import { readByRegistry } from "./NoticeConsumer.ts"
import { noticeSeatsNeeds } from "./NoticeShared.ts"
import type { ClaimRecord, NeedRecord } from "./Record.ts"
import type { World } from "./World.ts"

/**
 * Looks at what was touched of what many share, and marks what it is another for.
 *
 * @param looksMax how much is marked, and how often a candidate is looked at for a claim, at most.
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
  let looks = looksMax - world.spreading.some(world, looksMax)
  if (world.spreading.size > 0) {
    return false
  }
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
  const { index, said, spreading } = world
  const before = index.registry
  const after = registryOf(index.facts)
  const kinds = new Set(
    [...before.entries, ...before.contested, ...after.entries, ...after.contested].map(([kind]) => kind)
  )
  const changed = [...kinds].filter((kind) =>
    !sameJson(before.entries.get(kind), after.entries.get(kind)) ||
    !sameJson(before.contested.get(kind), after.contested.get(kind))
  )
  index.registry = after
  for (const kind of changed) {
    spreading.over(index.needsByKind.get(kind) ?? noNeeds, markReader)
    const entry = after.entries.get(kind)
    if (entry !== undefined) {
      said.put("registry", writeKey(kind), before.entries.get(kind), entry)
    } else if (before.entries.has(kind)) {
      said.delete("registry", writeKey(kind))
    }
  }
  said.conflictsBefore ??= before.conflicts
}

const noNeeds: ReadonlySet<NeedRecord> = new Set()

const markReader = (world: World, need: NeedRecord): void => {
  readByRegistry(world, need)
  world.agenda.need(need)
}

const settleHave = (world: World, key: string): void => {
  const { index, spreading } = world
  const provider = index.providerRecords.get(key)
  const have = provider?.have && readHave(index, provider.on)
  if (provider === undefined || have === undefined || sameJson(provider.have, have)) {
    return
  }
  provider.have = have
  provider.provision = undefined
  spreading.over(provider.claims, markByHave)
  for (const seat of index.seatsHeld.get(key) ?? []) {
    noticeSeatsNeeds(world, seat)
  }
}

const markByHave = ({ agenda }: World, claim: ClaimRecord): void => {
  if (claim.resolution?._tag === "Served" && claim.resolution.contract.credential === "none") {
    agenda.outcome(claim)
  }
}
