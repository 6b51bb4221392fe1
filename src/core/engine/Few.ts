/**
 * Lists of which most hold one item or none: one is kept as it is, since a list of one costs seven words.
 */
import { nowhere, putInShort, takeOut } from "./Dense.ts"

/** No item, one that is no list, or a list of several. */
export type Few<A extends object> = A | Array<A> | undefined

const none: ReadonlyArray<never> = []

/** The items, as a list. */
export const listOf = <A extends object>(few: Few<A>): ReadonlyArray<A> =>
  few === undefined ? none : Array.isArray(few) ? few : [few]

/** A list's items. */
export const fewOf = <A extends object>(list: Array<A>): Few<A> => list.length > 1 ? list : list[0]

/** With one item more; `at` is the item's member that says where it stands. */
export const withItem = <At extends string, A extends { [Place in At]: number }>(
  few: Few<A>,
  item: A,
  at: At
): Few<A> => {
  const place: { [Place in At]: number } = item
  if (few === undefined) {
    place[at] = 0
    return item
  }
  return few === item ? item : putInShort(Array.isArray(few) ? few : [few], item, at)
}

/** Without an item, where it was there. */
export const withoutItem = <At extends string, A extends { [Place in At]: number }>(
  few: Few<A>,
  item: A,
  at: At
): Few<A> => {
  if (Array.isArray(few)) {
    takeOut(few, item, at)
    return fewOf(few)
  }
  const place: { [Place in At]: number } = item
  place[at] = few === item ? nowhere : place[at]
  return few === item ? undefined : few
}
