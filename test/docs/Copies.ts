/**
 * The project's own copies of the material that lies in `../shared`: what its tests and examples need, so that a clone
 * stands alone. Where `../shared` is beside the clone, the copies are compared with it.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"

/** What is copied: a file, or every file of a folder; where it lies in `../shared`, and where the project keeps it. */
export interface Copy {
  readonly shared: string
  readonly own: string
}

/** Every copy that the project keeps. */
export const copies: ReadonlyArray<Copy> = [
  { shared: "cases", own: "test/golden/cases" },
  { shared: "meshes/homelab.json", own: "examples/homelab.json" },
  { shared: "meshes/homelab.states.json", own: "test/golden/meshes/homelab.states.json" }
]

/** Where a copy differs from what it is a copy of, a sentence for each file. */
export const differencesOf = (shared: string, own: string, copy: Copy): ReadonlyArray<string> =>
  filesOf(join(shared, copy.shared), join(own, copy.own)).flatMap((file) => {
    const [theirs, ours] = [join(shared, copy.shared, file), join(own, copy.own, file)]
    const name = join(copy.own, file)
    if (!existsSync(theirs)) {
      return [`${name} is not in ../shared/${copy.shared}`]
    }
    if (!existsSync(ours)) {
      return [`${name} is missing: copy it from ../shared/${join(copy.shared, file)}`]
    }
    const place = placeOfDifference(read(theirs), read(ours))
    return place === undefined ? [] : [`${name} differs from ../shared/${join(copy.shared, file)} at ${place}`]
  })

/** The names of the files to compare, those of either side: of a folder all in it, of a file itself. */
const filesOf = (shared: string, own: string): ReadonlyArray<string> => {
  const names = [shared, own].map((path) => path.endsWith(".json") ? [""] : existsSync(path) ? readdirSync(path) : [])
  return [...new Set(names.flat())].sort()
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"))

/** The path of the first difference between two JSON values, whatever the order and the layout of their members. */
const placeOfDifference = (theirs: unknown, ours: unknown, path = "the top"): string | undefined => {
  if (isDeepStrictEqual(theirs, ours)) {
    return undefined
  }
  const [left, right] = [membersOf(theirs), membersOf(ours)]
  if (left === undefined || right === undefined) {
    return path
  }
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const place = placeOfDifference(left.get(name), right.get(name), path === "the top" ? name : `${path} / ${name}`)
    if (place !== undefined) {
      return place
    }
  }
  return path
}

const membersOf = (value: unknown): ReadonlyMap<string, unknown> | undefined =>
  typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined
