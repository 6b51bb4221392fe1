/**
 * The keys in order of those buckets of which pages were asked: nobody else pays for it.
 */
import { OrderedKeys } from "../OrderedKeys.ts"

/** Keys in order, by bucket. */
export class Orders {
  readonly #orders = new Map<string, OrderedKeys>()

  /** The keys of a bucket; `keys` gives those that are there, where it is asked for the first time. */
  of(bucket: string, keys: () => Iterable<string>): OrderedKeys {
    const order = this.#orders.get(bucket) ?? new OrderedKeys(keys())
    this.#orders.set(bucket, order)
    return order
  }

  /** A key of a bucket is there. */
  add(bucket: string, key: string): void {
    this.#orders.get(bucket)?.add(key)
  }

  /** A key of a bucket is gone. */
  remove(bucket: string, key: string): void {
    this.#orders.get(bucket)?.remove(key)
  }
}
