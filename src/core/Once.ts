/**
 * What is asked for again and again, and made once.
 */

/** A function that is asked for the same again and again, and answers each time but the first from what it said. */
export const once = <Key, A>(make: (key: Key) => A): (key: Key) => A => {
  const known = onceByKey<A, Key>()
  return (key) => known(key, () => make(key))
}

/** A function that makes something by a key where it is not made yet. */
export const onceByKey = <A, Key = string>() => {
  const made = new Map<Key, A>()
  return (key: Key, make: () => A): A => {
    const known = made.get(key) ?? make()
    made.set(key, known)
    return known
  }
}
