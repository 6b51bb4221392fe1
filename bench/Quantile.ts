/**
 * What many measurements come to.
 */

/** The value below which such a share of them is: 0.5 is the median. Not a number where there are none. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
