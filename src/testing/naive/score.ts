/**
 * The twin's score (protocol §5.2), in whole numbers of any size: nothing to overflow, nothing to shift by the wrong sign.
 */
const bits32 = 0xffffffffn

/** 32-bit FNV-1a over the UTF-8 of a text. */
export const fnv1a32 = (text: string): bigint => {
  let hash = 2_166_136_261n
  for (const byte of Buffer.from(text, "utf8")) {
    hash = ((hash ^ BigInt(byte)) * 16_777_619n) & bits32
  }
  return hash
}

/** MurmurHash3's 32-bit finaliser. */
const fmix32 = (hash: bigint): bigint => {
  const first = ((hash ^ (hash >> 16n)) * 0x85ebca6bn) & bits32
  const second = ((first ^ (first >> 13n)) * 0xc2b2ae35n) & bits32
  return second ^ (second >> 16n)
}

/** The score of a candidate for a claim, both by their keys. */
export const naiveScore = (claim: string, candidate: string): number => Number(fmix32(fnv1a32(`${claim}|${candidate}`)))
