/**
 * Keys of users: the seed, which its user keeps to itself, and the public half, which a server knows the user by.
 */
import { nkeys } from "@nats-io/transport-node"
import * as Redacted from "effect/Redacted"

/** A seed that nobody has, and its public half. */
export const createSeed = (): { readonly seed: Redacted.Redacted; readonly publicKey: string } => {
  const pair = nkeys.createUser()
  return { seed: Redacted.make(new TextDecoder().decode(pair.getSeed())), publicKey: pair.getPublicKey() }
}

/** A user's seed, as it stands in a text among others' lines. Throws where there is none. */
export const seedIn = (text: string): Uint8Array => {
  const seed = new TextEncoder().encode(/\bSU[A-Z2-7]{56}\b/.exec(text)?.[0] ?? "")
  nkeys.fromSeed(seed)
  return seed
}

/** The public half of the seed that a text holds; none where it holds none. */
export const publicKeyIn = (text: string): string | undefined => {
  try {
    return nkeys.fromSeed(seedIn(text)).getPublicKey()
  } catch {
    return undefined
  }
}
