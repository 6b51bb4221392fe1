/**
 * What the vault is asked about credentials (protocol §6.1): to make one while something that it opens is asked for, and
 * to undo it only after what it opens is undone.
 */
import { type Credential, credentialsOf, readCredentialName } from "./Credential.ts"
import type { Ask, ModuleOn } from "./Decision.ts"
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
  for (const { accepts, credential } of wanted.values()) {
    const key = holder === undefined ? "" : askKey(holder, credential.key)
    if (holder !== undefined && key.length <= keyBytesMax) {
      const nodes = inOrderOfAsks(accepts)
      const why = askWhy.wantedCredential(credential, nodes)
      const head = askHead(mesh, credential.consumer, holder, { state: "wanted", why })
      asks.set(key, { provider: holder, claim: credential, ask: { ...head, accepts: nodes } })
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
  readonly credential: Credential
  /** Who accepts it, by the key of their ask. */
  readonly accepts: Array<readonly [askKey: string, provider: ModuleOn]>
}

/** The credentials that the asks of their claims call for, each with who accepts it. */
const wantedCredentials = (mesh: Mesh, asks: Asks): Map<string, WantedCredential> => {
  const wanted = new Map<string, WantedCredential>()
  for (const [key, { ask, claim, provider }] of asks) {
    const contract = ask.state === "retire" ? undefined : contractOf(mesh, provider.module, claim.provision)
    for (const credential of contract === undefined ? [] : credentialsOf(claim, provider.module, contract)) {
      const found = wanted.get(credential.key) ?? { credential, accepts: [] }
      found.accepts.push([key, provider])
      wanted.set(credential.key, found)
    }
  }
  return wanted
}

const inOrderOfAsks = (accepts: WantedCredential["accepts"]): ReadonlyArray<ModuleOn> =>
  accepts.sort(([one], [other]) => one < other ? -1 : 1).map(([, { module, node }]) => ({ node, module }))

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
  if (opened !== undefined && (opened.value === undefined || mesh.makersOf(opened.value).size > 0)) {
    return held(askWhy.heldOpens(made, name.module))
  }
  if (opened !== undefined && holder !== undefined) {
    return { state: "retire", why: askWhy.opened(made, name.module) }
  }
  return answered(mesh, made) ??
    (holder === undefined ? held(askWhy.heldNoVault()) : { state: "unneeded", why: askWhy.unneeded(made, made.maker) })
}
