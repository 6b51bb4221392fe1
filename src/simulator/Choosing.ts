/**
 * Whom and what the three numbers of a happening name: always the same in one mesh, whatever has become of it.
 */
import { providers } from "./Cast.ts"
import type { Node } from "./Node.ts"
import type { Happening } from "./Plot.ts"
import type { Process } from "./Process.ts"
import type { World } from "./World.ts"

/** One of a list that has any, by a number. */
export const among = <A>(list: ReadonlyArray<A>, number: number): A => {
  const one = list[number % list.length]
  if (one === undefined) {
    throw new Error("nothing to choose from")
  }
  return one
}

/** The node. */
export const nodeOf = (world: World, { who }: Happening): Node => among(world.nodes, who)

/** The module that needs. */
export const consumerOf = (world: World, { what }: Happening): string => among(world.consumers, what)

/** A module that provides, or one time in three one that needs. */
export const moduleOf = (world: World, { what }: Happening): string =>
  what % 3 === 0 ? among(world.consumers, what >>> 2) : among(providers, what >>> 2).module

/** The provisioner. */
export const processOf = (world: World, { who }: Happening): Process => among(world.processes, who)
