/**
 * What is made of a text, kept for when the same text comes again: the keys of a simulated mesh are few, and each is taken
 * apart at every step.
 */

/** A function of a text alone that makes the same of the same text, and mostly once. */
export const remembered = <A>(make: (text: string) => A): (text: string) => A => {
  const made = new Map<string, A>()
  return (text) => {
    const known = made.get(text)
    if (known !== undefined) {
      return known
    }
    if (made.size === textsMax) {
      made.clear()
    }
    const one = make(text)
    made.set(text, one)
    return one
  }
}

const textsMax = 20_000

/** The tokens of a key. */
export const tokensOf: (key: string) => ReadonlyArray<string> = remembered((key) => key.split("."))

/** The claim that an ask is of, by the ask's key: what comes after the provider's node and module. */
export const claimIn: (key: string) => string = remembered((key) => key.split(".").slice(2).join("."))

/** The consumer whose key it is: the first two tokens. */
export const consumerIn: (key: string) => string = remembered((key) => key.split(".", 2).join("."))
