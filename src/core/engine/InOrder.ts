/**
 * Lists in the order of a name of their items, which is looked for by halves.
 */

/** Where an item of that name stands in a list in the order of names, or would. */
export const placeOf = <A>(list: ReadonlyArray<A>, name: string, nameOf: (item: A) => string): number => {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = list[middle]
    if (item !== undefined && nameOf(item) < name) {
      low = middle + 1
    } else {
      high = middle
    }
  }
  return low
}

/** A list with an item more at a place: a short one is made anew, since one that grows takes room for sixteen more. */
export const withAt = <A>(list: Array<A>, at: number, item: A): Array<A> => {
  if (list.length < shortMax) {
    return list.toSpliced(at, 0, item)
  }
  list.splice(at, 0, item)
  return list
}

const shortMax = 8
