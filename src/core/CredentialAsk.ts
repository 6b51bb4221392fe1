/**
 * What the vault is asked about credentials (protocol §6.1): to make one while something that it opens is asked for, and
 * to undo it only after what it opens is undone.
 */
import { credentialClaim, readCredentialName, secretFieldsOf } from "./Credential.ts"
import type { Ask, ModuleOn } from "./Decision.ts"
import { makersOf } from "./fact/Bound.ts"
import { writeKey } from "./Key.ts"
import { keyBytesMax } from "./Limits.ts"
import { answered, askHead, type Asks, type Made } from "./Made.ts"
import { contractOf, entryOf, holderOf, type Mesh } from "./Mesh.ts"
import { askKey } from "./Settle.ts"
import { askWhy } from "./Words.ts"

/** Adds the asks about credentials to those that they follow from. */
export const askAboutCredentials = (mesh: Mesh, asks: Asks, made: ReadonlyArray<Made>): void => {
  const { holder } = holderOf(mesh, "vault")
  const wanted = holder === undefined ? new Map<string, WantedCredential>() : wantedCredentials(mesh, asks)
  for (const [claimKey, { accepts, claim }] of wanted) {
    const key = holder === undefined ? "" : askKey(holder, claimKey)
    if (holder !== undefined && key.length <= keyBytesMax) {
      const head = askHead(mesh, claim.consumer, holder, {
        state: "wanted",
        why: askWhy.wantedCredential(claim, accepts)
      })
      asks.set(key, { provider: holder, claim, ask: { ...head, accepts } })
    }
  }
  for (const credential of made) {
    const key = askKey(credential.maker, credential.key)
    if (!asks.has(key) && key.length <= keyBytesMax) {
      const ask = askHead(mesh, credential.consumer, credential.maker, notWanted(mesh, credential, wanted, holder))
      asks.set(key, { provider: credential.maker, claim: credential, ask })
    }
  }
}

interface WantedCredential {
  readonly claim: ReturnType<typeof credentialClaim>
  readonly accepts: Array<ModuleOn>
}

/** The credentials that the asks of their claims call for, each with the nodes that accept it, in the order of the asks' keys. */
const wantedCredentials = (mesh: Mesh, asks: Asks): Map<string, WantedCredential> => {
  const wanted = new Map<string, WantedCredential>()
  const opening = [...asks].filter(([, { ask }]) => ask.state !== "retire").sort(([one], [other]) =>
    one < other ? -1 : 1
  )
  for (const [, { claim: opened, provider }] of opening) {
    const contract = contractOf(mesh, provider.module, opened.provision)
    for (const field of contract === undefined ? [] : secretFieldsOf(contract)) {
      const claim = credentialClaim(opened, provider.module, field)
      const found = wanted.get(claim.key) ?? { claim, accepts: [] }
      found.accepts.push({ node: provider.node, module: provider.module })
      wanted.set(claim.key, found)
    }
  }
  return wanted
}

/** What is asked about a credential that is not wanted of its maker: the first that holds (protocol §6.1). */
const notWanted = (
  mesh: Mesh,
  made: Made,
  wanted: ReadonlyMap<string, unknown>,
  holder: ModuleOn | undefined
): Pick<Ask, "state" | "why"> => {
  const name = readCredentialName(made.local ?? "")
  const held = (why: string) => ({ state: "held", why }) as const
  if (wanted.has(made.key)) {
    return held(askWhy.heldOther(made))
  }
  if (name === undefined) {
    return held(askWhy.heldName(made))
  }
  if (!mesh.facts.bound.has(name.module)) {
    return held(askWhy.heldNoBucket(made, name.module))
  }
  const opened = entryOf(mesh, name.module, writeKey(made.node, made.module, name.provision, name.local))
  if (opened !== undefined && (opened.value === undefined || makersOf(opened.value).size > 0)) {
    return held(askWhy.heldOpens(made, name.module))
  }
  if (opened !== undefined && holder !== undefined) {
    return { state: "retire", why: askWhy.opened(made, name.module) }
  }
  return answered(mesh, made) ??
    (holder === undefined ? held(askWhy.heldNoVault()) : { state: "unneeded", why: askWhy.unneeded(made, made.maker) })
}
