/**
 * Asks (protocol §6): what each provider is asked for each claim. What is wanted is made; what was made and is no longer
 * needed is asked about before it is undone; and nothing made is ever forgotten.
 */
import type { AskPart } from "./Bucket.ts"
import { askAboutCredentials } from "./CredentialAsk.ts"
import type { Ask, ModuleOn, Provision } from "./Decision.ts"
import type { SoundFact } from "./Decode.ts"
import { digest } from "./Digest.ts"
import type { Answer } from "./fact/Answer.ts"
import { whatMakerHas } from "./fact/Bound.ts"
import { hasBrokenProvision } from "./fact/Definition.ts"
import { writeKey } from "./Key.ts"
import { keyBytesMax } from "./Limits.ts"
import { answered, askHead, type Asks, everythingMade, type Made } from "./Made.ts"
import { type Claim, contractOf, entryOf, holderOf, type Mesh, vaultModule } from "./Mesh.ts"
import { unmetBy } from "./Resolve.ts"
import { askKey, type SettledClaims } from "./Settle.ts"
import { askWhy } from "./Words.ts"

/** The asks of every provider, and the answers that no longer count (protocol §6). */
export const asksOf = (
  mesh: Mesh,
  settled: SettledClaims,
  provisions: ReadonlyMap<string, Provision>
): { readonly asks: ReadonlyMap<string, Ask>; readonly answersToDelete: ReadonlyArray<string> } => {
  const asked: Asks = new Map()
  for (const claim of mesh.claims.values()) {
    const provider = wantedOf(mesh, settled, claim)
    if (provider !== undefined) {
      asked.set(askKey(provider, claim.key), { provider, claim, ask: wanted(mesh, settled, claim, provider) })
    }
  }
  const standing = standingOf(mesh, provisions)
  const credentials: Array<Made> = []
  for (const made of everythingMade(mesh)) {
    const key = askKey(made.maker, made.key)
    if (made.maker.module === vaultModule && made.provision === "credential") {
      credentials.push(made)
    } else if (!asked.has(key) && key.length <= keyBytesMax) {
      asked.set(key, { provider: made.maker, claim: made, ask: askOfMaker(mesh, made, standing) })
    }
  }
  askAboutCredentials(mesh, asked, credentials)
  const asks = new Map([...asked].map(([key, { ask }]) => [key, ask]))
  return { asks, answersToDelete: answersToDelete(mesh, asks) }
}

// --- wanted ------------------------------------------------------------------------------------------------------

/** The per-consumer provider that serves a claim and is there to serve it, its consumer assigned (protocol §6). */
const wantedOf = (mesh: Mesh, settled: SettledClaims, claim: Claim): ModuleOn | undefined => {
  const { resolution, tooLong } = settled.get(claim.key) ?? {}
  if (mesh.facts.assignments.value(claim.consumer) === undefined || tooLong === true) {
    return undefined
  }
  if (resolution === undefined) {
    return holderOf(mesh, "vault").holder
  }
  return resolution._tag === "Served" && resolution.contract.credential === "consumer" ? resolution.provider : undefined
}

const wanted = (mesh: Mesh, settled: SettledClaims, claim: Claim, provider: ModuleOn): Ask => {
  const resolution = settled.get(claim.key)?.resolution
  const met = resolution?._tag === "Served"
    ? claim.needs.map(({ value }) => value).filter((need) => unmetBy(mesh, resolution.contract, need) === undefined)
    : []
  const ranges = sortedOnce(met.flatMap(({ contract }) => contract === undefined ? [] : [contract]))
  const fields = sortedOnce(met.flatMap((need) => need.fields ?? []))
  return {
    ...askHead(mesh, claim.consumer, provider, { state: "wanted", why: askWhy.wanted(claim, provider) }),
    ...(ranges.length === 0 ? {} : { contract: ranges }),
    ...(fields.length === 0 ? {} : { fields })
  }
}

const sortedOnce = (items: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(items)].sort()

// --- made --------------------------------------------------------------------------------------------------------

/**
 * How the needs of a claim stand: `provided` by one provider that is not the consumer itself, or `open`, where any of
 * them is not (protocol §6).
 */
type Standing = ReadonlyMap<string, ModuleOn | "open">

const standingOf = (mesh: Mesh, provisions: ReadonlyMap<string, Provision>): Standing => {
  const standing = new Map<string, ModuleOn | "open">()
  for (const { key, needs } of mesh.claims.values()) {
    for (const need of needs) {
      const provision = provisions.get(need.key)
      const closed = provision?.state === "provided" && provision.reason !== "own" ? provision.provider : undefined
      if (closed === undefined || !standing.has(key)) {
        standing.set(key, closed ?? "open")
      }
    }
  }
  return standing
}

/** The ask about what a maker has that is not wanted of it: the first of the reasons of protocol §6 that holds. */
const askOfMaker = (mesh: Mesh, made: Made, standing: Standing): Ask => {
  const { maker } = made
  const ownSecret = maker.module === vaultModule && made.provision === "secret"
  const held = heldWhy(mesh, made, standing.get(made.key)) ?? (ownSecret ? undefined : heldByDefinition(mesh, made))
  const decided = held === undefined ? answered(mesh, made) : { state: "held", why: held } as const
  const free = !ownSecret && contractOf(mesh, maker.module, made.provision)?.retire === "free"
  return askHead(
    mesh,
    made.consumer,
    maker,
    decided ?? (free
      ? { state: "retire", why: askWhy.free(made) }
      : ownSecret && holderOf(mesh, "vault").holder === undefined
      ? { state: "held", why: askWhy.heldNoVault() }
      : { state: "unneeded", why: askWhy.unneeded(made, maker) })
  )
}

const heldWhy = (mesh: Mesh, made: Made, standing: ModuleOn | "open" | undefined): string | undefined => {
  if (mesh.brokenConsumers.has(made.consumer)) {
    return askWhy.heldShape(made)
  }
  const { maker } = made
  const needed = standing === "open" || (standing?.node === maker.node && standing.module === maker.module)
  return needed ? askWhy.heldNeeded(made) : undefined
}

const heldByDefinition = (mesh: Mesh, made: Made): string | undefined => {
  const { module } = made.maker
  const definition = mesh.facts.modules.value(module)
  const unsure = definition === undefined
    ? mesh.assignedModules.has(module)
    : hasBrokenProvision(definition, made.provision)
  return unsure ? askWhy.heldDefinition(made, module) : undefined
}

// --- answers -----------------------------------------------------------------------------------------------------

const answersToDelete = (mesh: Mesh, asks: ReadonlyMap<string, Ask>): ReadonlyArray<string> =>
  [...mesh.facts.answers.sound()]
    .filter((fact) => asks.get(fact.key)?.state === "wanted" || countsNoMore(mesh, fact))
    .map(({ key }) => key)
    .sort()

/** Whether the maker's entry, there and in shape, shows that an answer is about nothing that is there (protocol §6). */
const countsNoMore = (mesh: Mesh, { names, value }: SoundFact<AskPart, Answer>): boolean => {
  const claimKey = writeKey(names.node, names.module, names.provision, names.local)
  const entry = entryOf(mesh, names.providerModule, claimKey)?.value
  if (entry === undefined) {
    return false
  }
  const maker = names.providerNode
  return !mesh.makersOf(entry).has(maker) ||
    (value.answer === "retire" && value.entry !== digest(whatMakerHas(entry, maker)))
}
