/**
 * Lists by key, while they are put together.
 */

/** Adds an item to the list of a key. */
export const addTo = <A>(lists: Map<string, Array<A>>, key: string, item: A): void => {
  const list = lists.get(key)
  if (list === undefined) {
    lists.set(key, [item])
  } else {
    list.push(item)
  }
}
