/**
 * Faults to be planted in a copy of the sources, each a change of one place in one file: the simulator is to find every one.
 */
import type { Law, Shell } from "../../src/simulator/index.ts"

/** A fault: what is wrong then, where one text stands for another, and the laws by which it may be found. */
export interface Plant {
  readonly name: string
  /** The file, in `src`. */
  readonly file: string
  readonly sound: string
  readonly broken: string
  readonly laws: ReadonlyArray<Law>
  /** What of the provisioner is played to find it. */
  readonly shell: Shell
}

/** A fault, played in the fibers where it is theirs. */
export const plant = (
  name: string,
  file: string,
  sound: string,
  broken: string,
  ...laws: Plant["laws"]
): Plant => ({ name, file, sound, broken, laws, shell: shellOf(file) })

/** The files of the shell's fibers: they are played in nothing else. */
const shellOf = (file: string): Shell =>
  /^provisioner\/(Daemon|Loop|Writer|Reader|Provisioner)\.ts$/.test(file) ? "fibers" : "steps"
