/**
 * The example mesh that the package carries. The bin and this file are equally deep in it.
 */
import { fileURLToPath } from "node:url"

/** The path of the example mesh. */
export const examplePath = fileURLToPath(new URL("../../examples/homelab.json", import.meta.url))
