/**
 * The package's version. The bin and this file are equally deep in it.
 */
import { readFileSync } from "node:fs"

/** The package's version. */
export const version = (): string => {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8")
  )
  return version
}
