/**
 * Lists without an order whose items know their own place, so that one is taken out without looking for it. Such a list
 * costs a word an item, a `Set` five.
 */

/** The place of an item that is in no list. */
export const nowhere = -1

/** Puts an item into a list, where it is not in it; `at` is the item's member that says where it stands there. */
export const putIn = <At extends string, A extends { [Place in At]: number }>(
  list: Array<A>,
  item: A,
  at: At
): Array<A> => {
  const place: { [Place in At]: number } = item
  if (place[at] === nowhere) {
    place[at] = list.length
    list.push(item)
  }
  return list
}

/**
 * Puts an item into a list that is mostly short, and gives the list: a short one is made anew, since one that grows takes room
 * for sixteen more.
 */
export const putInShort = <At extends string, A extends { [Place in At]: number }>(
  list: Array<A>,
  item: A,
  at: At
): Array<A> => {
  const place: { [Place in At]: number } = item
  if (place[at] !== nowhere || list.length >= shortMax) {
    return putIn(list, item, at)
  }
  place[at] = list.length
  return list.concat([item])
}

const shortMax = 8

/** Takes an item out of the list that it is in; the last one takes its place. */
export const takeOut = <At extends string, A extends { [Place in At]: number }>(
  list: Array<A>,
  item: A,
  at: At
): void => {
  const place: { [Place in At]: number } = item
  const last = place[at] === nowhere ? undefined : list.pop()
  if (last !== undefined && last !== item) {
    const moved: { [Place in At]: number } = last
    list[place[at]] = last
    moved[at] = place[at]
  }
  place[at] = nowhere
}
