/**
 * The score (protocol §5.2): 32-bit FNV-1a over UTF-8, then MurmurHash3's 32-bit finaliser, against the two written out
 * in whole numbers of any size.
 */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { score } from "../../src/core/Score.ts"
import { anyName } from "../../src/testing/arbitrary/Names.ts"
import { join } from "../../src/testing/naive/name.ts"
import { fnv1a32, naiveScore } from "../../src/testing/naive/score.ts"
import { check } from "./Law.ts"

const key = fc.array(anyName(8), { minLength: 2, maxLength: 5 }).map((names) => join(...names))

test("a score is fmix32 of fnv1a32 of the claim's key, a bar, and the candidate's key (§5.2)", () =>
  check(
    fc.property(key, key, (claim, candidate) => {
      expect(score(claim, candidate)).toBe(naiveScore(claim, candidate))
    }),
    2_000
  ))

test("the twin's FNV-1a gives what its authors published", () => {
  expect(["", "a", "foobar"].map(fnv1a32)).toEqual([0x811c9dc5n, 0xe40c292cn, 0xbf9cf968n])
})
