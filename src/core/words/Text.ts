/**
 * The small change of sentences: names and words of others, cut to what a `why` may quote of them (protocol §5).
 */
import { quoteCodePointsMax } from "../Limits.ts"

/** The first code points of a text: a pair of surrogates is never torn. */
export const cut = (text: string, codePointsMax: number): string => {
  if (text.length <= codePointsMax) {
    return text
  }
  let end = 0
  let count = 0
  for (const codePoint of text) {
    if (count >= codePointsMax) {
      break
    }
    end += codePoint.length
    count += 1
  }
  return text.slice(0, end)
}

/** A name as a sentence says it. */
export const say = (name: string): string => cut(name, quoteCodePointsMax)

/** Words of others as a sentence quotes them. */
export const quote = (words: string): string => `"${cut(words, quoteCodePointsMax)}"`

/** A module on a node, as a sentence says it. */
export const on = ({ module, node }: { readonly node: string; readonly module: string }): string =>
  `${module} on ${say(node)}`

/** A provision and its local name, as a sentence says them. */
export const thing = (
  { local, provision }: { readonly provision: string; readonly local?: string | undefined }
): string => local === undefined ? say(provision) : `${say(provision)} (${say(local)})`

/** A sentence lists at most this many things: a thousand modules that answer one kind must not fill a thousand whys. */
const listedMax = 20

/** A list as a sentence says it. */
export const list = (items: ReadonlyArray<string>): string =>
  items.length < 2
    ? items.join("")
    : items.length > listedMax
    ? `${items.slice(0, listedMax).join(", ")} and ${items.length - listedMax} more`
    : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`
