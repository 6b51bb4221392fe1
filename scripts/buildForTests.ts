/**
 * Vitest's global set-up: builds what tests run as a stranger would, the bin and the library in `dist/`.
 *
 * A bin that does not build is taken away, so that the tests that run it fail and all others tell what they can. A mistake
 * in types is shown and stops no test: `npm run check:types` fails for it.
 */
import { buildBin, buildLibrary, removeBin } from "./build.ts"

export const setup = async (): Promise<void> => {
  await buildBin().catch(removeBin)
  buildLibrary()
}
