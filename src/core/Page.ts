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

/** The items of one page, and the `after` of the next. */
export const pageOf = <Item extends Placed>(
  items: ReadonlyArray<Item>,
  { after, bytesMax, finish, limit, shorten }: PageRequest<Item>
): { readonly items: ReadonlyArray<Item>; readonly next: string | undefined } => {
  const sorted = [...items].sort((one, other) => one.place < other.place ? -1 : one.place > other.place ? 1 : 0)
  const start = startOf(sorted, after)
  const taken: Array<Item> = []
  let used = 0
  for (const item of sorted.slice(start, start + limit)) {
    const room = bytesMax - headBytes - textBytes(item.place)
    const maybe = finish(item, room)
    if (maybe === undefined && taken.length > 0) {
      break
    }
    const finished = maybe ?? item
    const bytes = bytesOf(finished)
    const fitting = bytes > room ? shorten(finished, bytes, room) : finished
    used += bytesOf(fitting)
    if (used > room && taken.length > 0) {
      break
    }
    taken.push(fitting)
  }
  return { items: taken, next: nextOf(sorted, start + taken.length) }
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
const startOf = (sorted: ReadonlyArray<Placed>, after: string | undefined): number => {
  if (after === undefined) {
    return 0
  }
  const [, key, count] = counted.exec(after) ?? []
  if (key !== undefined) {
    const first = sorted.findIndex(({ place }) => place >= key)
    return first === -1 ? sorted.length : first + Number(count)
  }
  const first = sorted.findIndex(({ place }) => place > after)
  return first === -1 ? sorted.length : first
}

const counted = /^([^]*)\n(\d{1,9})$/

const nextOf = (sorted: ReadonlyArray<Placed>, end: number): string | undefined => {
  const last = sorted[end - 1]?.place
  if (last === undefined || end >= sorted.length) {
    return undefined
  }
  const same = sorted.slice(0, end).filter(({ place }) => place === last).length
  return sorted[end]?.place === last || counted.test(last) ? `${last}\n${same}` : last
}
