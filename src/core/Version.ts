/**
 * Versions and ranges, as npm's `semver` reads them (protocol §3).
 */
import SemVerRange from "semver/classes/range.js"
import { once } from "./Once.ts"

/** A range as it was read. */
interface Range {
  readonly test: (version: string) => boolean
}

/** A range as it was read, or `undefined` where it is none. */
export const readRange = (range: string): Range | undefined => {
  try {
    return new SemVerRange(range)
  } catch {
    return undefined
  }
}

/**
 * Whether a version is in a range (protocol §3). A range that is none holds no version.
 *
 * @example
 * ```ts
 * import { inRange } from "mesh-provisioner/core"
 *
 * inRange("1.4.0", "^1.2.0") // true
 * ```
 */
export const inRange = (version: string, range: string): boolean => readRange(range)?.test(version) === true

/** Whether a version is in a range, each pair looked at once. */
export const inRangeOnce = (): (version: string, range: string) => boolean => {
  const byVersion = once((version: string) => once((range: string) => inRange(version, range)))
  return (version, range) => byVersion(version)(range)
}
