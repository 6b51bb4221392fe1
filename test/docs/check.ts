/**
 * What a snippet that is run calls for each value that it states.
 */
import { isDeepStrictEqual } from "node:util"

/** How many stated values were looked at, and which of them were not so. */
export const checked = { checks: 0, faults: new Array<string>() }

/**
 * Keeps what went wrong where a value is not the stated one.
 *
 * @internal snippets import it, once they are laid beside it.
 */
export const check = (where: string, value: unknown, stated: unknown): void => {
  checked.checks += 1
  const text = JSON.stringify(value)
  if (!isDeepStrictEqual(text === undefined ? undefined : JSON.parse(text), stated)) {
    checked.faults.push(`${where}: ${JSON.stringify(stated)} is stated, and it gives ${text}`)
  }
}
