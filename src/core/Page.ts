/**
 * Pages of a reply (protocol §8): by key in code-unit order, never larger than the bus takes, and nothing dropped
 * between two of them.
 */
import { writeUtf8 } from "./Utf8.ts"

/** Something that stands in a page in the place that its key gives it. */
interface Placed {
  readonly place: string
  readonly item: object
}

interface PageRequest<Item> {
  readonly limit: number
  readonly after: string | undefined
  readonly bytesMax: number
  /** What an item becomes once it is known to be in the page; nothing where the page is to end before it, unless it is the first. */
  readonly finish: (item: Item, bytesMax: number) => Item | undefined
  /** What stands in for an item of so many bytes that no page could hold. */
  readonly shorten: (item: Item, bytes: number, bytesMax: number) => Item
}

/**
 * The items of one page, and the `after` of the next.
 *
 * @param itemsFrom the items from a place on, in the order of their places.
 */
export const pageOf = <Item extends Placed>(
  itemsFrom: (place: string) => Iterable<Item>,
  { after, bytesMax, finish, limit, shorten }: PageRequest<Item>
): { readonly items: ReadonlyArray<Item>; readonly next: string | undefined } => {
  const start = startOf(after)
  const taken: Array<Item> = []
  let used = 0
  let toSkip = start.count
  let last: string | undefined
  let ofLast = 0
  for (const item of itemsFrom(start.place)) {
    const { place } = item
    if (start.isPast && place === start.place) {
      continue
    }
    if (toSkip === 0) {
      const fitting = taken.length < limit ? fittingOf(item, taken.length === 0, used) : undefined
      if (fitting === undefined) {
        return { items: taken, next: last === undefined ? undefined : afterOf(last, ofLast, place) }
      }
      used += bytesOf(fitting)
      taken.push(fitting)
    }
    toSkip = Math.max(0, toSkip - 1)
    ofLast = place === last ? ofLast + 1 : 1
    last = place
  }
  return { items: taken, next: undefined }

  /** What the item is in the page; nothing where it has no room, but as the first. */
  function fittingOf(item: Item, isFirst: boolean, used: number): Item | undefined {
    const room = bytesMax - headBytes - textBytes(item.place)
    const maybe = finish(item, room)
    if (maybe === undefined && !isFirst) {
      return undefined
    }
    const finished = maybe ?? item
    const bytes = bytesOf(finished)
    const fitting = bytes > room ? shorten(finished, bytes, room) : finished
    return used + bytesOf(fitting) > room && !isFirst ? undefined : fitting
  }
}

/** Room for what stands around the items: the names of the lists, and of `next` all but the key that it is. */
const headBytes = 256

/** The bytes of an item in a reply. */
export const bytesOf = ({ item }: Placed): number => textBytes(item) + 1

/** The bytes of a value in a reply. */
export const textBytes = (json: string | object): number => writeUtf8(JSON.stringify(json)).length

/** The most bytes that JSON takes for one code point: an escape like `\u0001`. */
export const escapedBytesMax = 6

// Several items may have one key (a fact out of shape in several buckets): where a page ends between them, the next one
// begins after so many of them, which `after` says behind a line break. No key in shape has one; of one that ends like
// that itself, the count is always said.
const startOf = (
  after: string | undefined
): { readonly place: string; readonly isPast: boolean; readonly count: number } => {
  const [, key, count] = counted.exec(after ?? "") ?? []
  return key === undefined
    ? { place: after ?? "", isPast: after !== undefined, count: 0 }
    : { place: key, isPast: false, count: Number(count) }
}

const counted = /^([^]*)\n(\d{1,9})$/

const afterOf = (last: string, ofLast: number, next: string): string =>
  next === last || !isPlainAfter(last) ? `${last}\n${ofLast}` : last

/** Whether a place can be said as the `after` of a page as it is. */
export const isPlainAfter = (place: string): boolean => !counted.test(place)

/** Items in the order of their places, those of one place in the order that they have. */
export const inOrder = <Item extends Placed>(items: ReadonlyArray<Item>): ReadonlyArray<Item> =>
  items.toSorted((one, other) => one.place < other.place ? -1 : one.place > other.place ? 1 : 0)
