/**
 * `simulate`, as a person sees it.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { json, runBy, text, turnedOn } from "./Parts.ts"

const number = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withMetavar("N"), Flag.withDescription(description), Flag.optional)

/** A simulated mesh. */
export const simulate = Command.make(
  "simulate",
  {
    seed: Flag.Int("seed").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("What all is drawn from: the same seed is the same mesh, and the same run")
    ),
    seeds: number("seeds", "Play so many seeds, this one first; 1 where left out"),
    nodes: number("nodes", "How many nodes; drawn where left out"),
    modules: number("modules", "How many modules need something; drawn where left out"),
    steps: number("steps", "Play each seed for so many steps at least; 20000 where left out"),
    faults: text("faults", "KIND[,KIND…]", "Only these faults, or none; all where left out"),
    until: number("until", "Stop after this step, and show the last before it"),
    fibers: turnedOn("fibers", "Play the provisioner's own fibers, and not its parts step by step"),
    watch: turnedOn("watch", "Show all that happens, a line each"),
    json: json("{ seeds, steps, faults, checked, virtualMillis, hash, failure? }")
  },
  ({ faults, modules, nodes, seeds, steps, until, ...config }) =>
    runBy(() => import("../Simulate.ts"), {
      ...config,
      faults: Option.getOrUndefined(faults),
      modules: Option.getOrUndefined(modules),
      nodes: Option.getOrUndefined(nodes),
      seeds: Option.getOrUndefined(seeds),
      steps: Option.getOrUndefined(steps),
      until: Option.getOrUndefined(until)
    })
).pipe(
  Command.withDescription(
    "Play a whole mesh in virtual time, with faults, and hold each step to the laws of the protocol. Where one is broken, " +
      "print the shortest story that breaks it. Exit code 1 where one is."
  ),
  Command.withShortDescription("Play a simulated mesh, with faults"),
  Command.withExamples([
    { command: "mesh-provisioner simulate --seed 7", description: "A mesh, drawn from a number" },
    {
      command: "mesh-provisioner simulate --seed 7 --faults none --until 400",
      description: "How it begins, where nothing goes wrong"
    },
    {
      command: "mesh-provisioner simulate --seed 1 --seeds 20 --steps 2000 --json",
      description: "Twenty, for programs"
    }
  ])
)
