/**
 * How the time of a piece of work grows with its input. Times of one run are compared with each other, never with a clock
 * on the wall: four times the input takes four times as long where the work is linear, sixteen where it is quadratic.
 */
const tries = 4

/** The shorter of two runs, in milliseconds: what disturbs a run only ever makes it longer. */
const millisecondsOf = (run: () => unknown): number => {
  let shortest = Number.POSITIVE_INFINITY
  for (let count = 0; count < 2; count++) {
    const start = performance.now()
    run()
    shortest = Math.min(shortest, performance.now() - start)
  }
  return shortest
}

/**
 * How many times longer work on four times the input takes: the least of several tries, stopping at the first that is
 * below the bound.
 *
 * @param prepare makes the input of a size; its time is not counted.
 */
export const growthOf = <Input>(
  size: number,
  bound: number,
  prepare: (size: number) => Input,
  work: (input: Input) => unknown
): number => {
  const small = prepare(size)
  const large = prepare(4 * size)
  work(small)
  let least = Number.POSITIVE_INFINITY
  for (let count = 0; count < tries && least >= bound; count++) {
    const before = millisecondsOf(() => work(small))
    least = Math.min(least, millisecondsOf(() => work(large)) / Math.max(before, 0.1))
  }
  return least
}
