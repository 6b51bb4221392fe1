/**
 * What the vault is asked about credentials (protocol §6.1): to make one while something that it opens is asked for, and
 * to undo it only after what it opens is undone.
 */
import { type Credential, credentialsOf, readCredentialName } from "./Credential.ts"
import type { Ask, ModuleOn } from "./Decision.ts"
import { writeKey } from "./Key.ts"
import { keyBytesMax } from "./Limits.ts"
import { answered, type Asked, askHead, type Made, madeByOthers } from "./Made.ts"
import { contractOf, type Entry, entryOf, holderOf, type Mesh } from "./Mesh.ts"
import { askKey } from "./Settle.ts"
import { askWhy } from "./Words.ts"

/** What is to be known of a credential to ask for it. */
export type CredentialClaim = Omit<Credential, "field">

/** A credential that asks call for, and who accepts it. */
export interface WantedCredential {
  readonly credential: Credential
  /** In the order of the keys of their asks. */
  readonly accepts: ReadonlyArray<ModuleOn>
}

/** The credentials that asks of claims call for, by the key of their claim: none without a holder of seat `vault`. */
export const wantedCredentials = (mesh: Mesh, asks: ReadonlyArray<Asked>): ReadonlyMap<string, WantedCredential> => {
  let calling: Map<string, Calling> | undefined
  for (const { ask, claim, key, provider } of holderOf(mesh, "vault").holder === undefined ? [] : asks) {
    const contract = ask.state === "retire" ? undefined : contractOf(mesh, provider.module, claim.provision)
    for (const credential of contract === undefined ? [] : credentialsOf(claim, provider.module, contract)) {
      calling ??= new Map()
      const found = calling.get(credential.key) ?? { credential, accepts: [] }
      found.accepts.push([key, provider])
      calling.set(credential.key, found)
    }
  }
  return calling === undefined ? nothingWanted : new Map(
    [...calling].map(([key, { accepts, credential }]) => [key, { credential, accepts: inOrderOfAsks(accepts) }])
  )
}

const nothingWanted: ReadonlyMap<string, WantedCredential> = new Map()

interface Calling {
  readonly credential: Credential
  readonly accepts: Array<readonly [askKey: string, provider: ModuleOn]>
}

const inOrderOfAsks = (accepts: Calling["accepts"]): ReadonlyArray<ModuleOn> =>
  accepts.sort(([one], [other]) => one < other ? -1 : 1).map(([, provider]) => provider)

/**
 * The asks of the vault's nodes about one credential: to make it, where it is wanted, and about what its makers have.
 *
 * @param accepts who accepts it; none where it is not wanted.
 */
export const asksOfCredential = (
  mesh: Mesh,
  credential: CredentialClaim | undefined,
  accepts: ReadonlyArray<ModuleOn> | undefined,
  entry: Entry | undefined
): ReadonlyArray<Asked> => {
  const asks: Array<Asked> = []
  const { holder, key: providerKey } = holderOf(mesh, "vault")
  const key = credential && providerKey && askKey(providerKey, credential.key)
  const isWanted = credential !== undefined && accepts !== undefined
  if (isWanted && holder !== undefined && key !== undefined && key.length <= keyBytesMax) {
    const head = askHead(mesh, credential.consumer, providerKey, {
      state: "wanted",
      why: askWhy.wantedCredential(credential, accepts)
    })
    asks.push({ key, provider: holder, providerKey, claim: credential, ask: { ...head, accepts } })
  }
  for (const made of entry === undefined ? [] : madeByOthers(mesh, entry, asks[0]?.provider)) {
    const { maker, makerKey } = made
    const key = askKey(makerKey, made.key)
    if (key.length <= keyBytesMax) {
      const ask = askHead(mesh, made.consumer, makerKey, notWanted(mesh, made, isWanted, holder))
      asks.push({ key, provider: maker, providerKey: makerKey, claim: made, ask })
    }
  }
  return asks
}

/** What is asked about a credential that is not wanted of its maker: the first that holds (protocol §6.1). */
const notWanted = (
  mesh: Mesh,
  made: Made,
  isWanted: boolean,
  holder: ModuleOn | undefined
): Pick<Ask, "state" | "why"> => {
  const name = readCredentialName(made.local ?? "")
  const held = (why: string) => ({ state: "held", why }) as const
  if (isWanted) {
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
