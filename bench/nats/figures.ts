/**
 * What many measurements come to.
 */

/** The value below which such a share of them is: 0.5 is the median. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Ours against the bare client's, pair by pair: the median of the ratios, and the least and the largest. */
export const ratios = (ours: ReadonlyArray<number>, theirs: ReadonlyArray<number>): string => {
  const all = ours.map((value, index) => value / (theirs[index] ?? Number.NaN))
  return `${quantile(all, 0.5).toFixed(1)} (${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)})`
}
