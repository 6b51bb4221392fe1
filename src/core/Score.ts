/**
 * The score by which a claim is served by one of several equal candidates (protocol §5.2): 32-bit FNV-1a, then
 * MurmurHash3's 32-bit finaliser. Each claim ranks the candidates in an order of its own, so that one more or one less
 * moves few.
 */
export const score = (claimKey: string, candidateKey: string): number => scoresOf(claimKey)(candidateKey)

/** The scores of the candidates for one claim, by the candidate's key: what is of the claim is hashed once. */
export const scoresOf = (claimKey: string): (candidateKey: string) => number => {
  const hash = fnv1a32(fnvOffset, `${claimKey}|`)
  return (candidateKey) => fmix32(fnv1a32(hash, candidateKey) >>> 0)
}

const fnvOffset = 0x811c9dc5

/** FNV-1a over a text of ASCII alone, as keys are: a character is its byte. It goes on from what came before. */
const fnv1a32 = (from: number, text: string): number => {
  let hash = from
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash
}

const fmix32 = (hash: number): number => {
  let mixed = hash
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
