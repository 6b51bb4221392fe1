/**
 * The registry (protocol §4): what is compiled in is never replaced, and where several modules answer a kind none of them
 * stands.
 */
import * as fc from "fast-check"
import type { RegistryEntry } from "../../core/Decision.ts"
import type { Json } from "../../core/Json.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { chosen } from "../arbitrary/Choose.ts"
import { leavingFactsOut } from "../arbitrary/LeavingOut.ts"
import { hostileNames } from "../arbitrary/Names.ts"
import { wildMesh } from "../arbitrary/WildMesh.ts"
import { type Answering, readFacts } from "../naive/facts.ts"
import { write } from "../naive/name.ts"
import { must, same } from "./Broken.ts"
import { meshLaw } from "./Cases.ts"

const compiledIn = [
  "config",
  "secret",
  "consumers",
  "bound",
  "collected",
  "shell",
  "environment",
  "contribution",
  "dir",
  "access",
  "port",
  "seat",
  "machine"
]

const compiledInAlone = meshLaw({
  sentence: "without definitions the registry is what is compiled in",
  paragraph: "§4",
  cases: fc.constant({ buckets: {} }),
  runs: 1,
  atLeast: { kind: 13 },
  holds: (decide, mesh, met) => {
    const { registry } = decide(mesh)
    same([...registry.keys()].sort(), [...compiledIn].sort(), "The list of kinds")
    // A secret is never in a bucket.
    for (const kind of ["secret", "consumers"]) {
      same(registry.get(kind)?.find, { seat: "vault", verb: `mesh-vault.${kind}` }, `Where ${kind} is found`)
    }
    met.count("kind", registry.size)
  }
})

const kinds = ["licence", ...hostileNames, "_epoch", ...compiledIn.slice(0, 4)]

/** Definitions of several modules, whose answers meet, and now and then are out of shape. */
const answering = leavingFactsOut(chosen((choose): Snapshot => {
  const modules = ["postgres", "__proto__", "toString", "cad"].map((module) => {
    const answers = choose.some(kinds, 20).map((kind) => {
      const answer = choose.oneOf<Json>(
        { bucket: `${module}_values`, key: "<node>.<module>.<kind>.<name>" },
        { seat: "git", verb: "answer" },
        { bucket: "mesh-host_haves", key: "<node>" },
        { bucket: `${module}_bound`, key: "<node>" },
        { bucket: `${module}_values`, key: "<node>..x" },
        { seat: "git" }
      )
      return [kind, answer] as const
    })
    return [module, { answers: Object.fromEntries(answers) }] as const
  })
  return { buckets: { "mesh-controller_modules": Object.fromEntries(modules) } }
}))

/** What the definitions of a mesh answer. */
const answersOf = (mesh: Snapshot) =>
  readFacts(mesh).definitions.flatMap(({ answers, module }) =>
    Array.from(answers, ([kind, answer]) => ({ kind, module, answer }))
  )

const findOf = (answer: Answering): RegistryEntry["find"] =>
  "seat" in answer ? { seat: answer.seat, verb: answer.verb } : { bucket: answer.bucket, key: answer.key }

const oneAnswers = meshLaw({
  sentence:
    "a kind that one module answers is its; one that several do is nobody's, and each is listed; one compiled in stays",
  paragraph: "§4",
  cases: answering,
  runs: 300,
  atLeast: { alone: 60, "compiled in": 60, contested: 60 },
  holds: (decide, mesh, met) => {
    const { conflicts, registry } = decide(mesh)
    const answers = answersOf(mesh)
    const expected = new Map(decide({ buckets: {} }).registry)
    const left: Array<string> = []
    for (const { answer, kind, module } of answers) {
      const isAlone = answers.filter((other) => other.kind === kind).length === 1 && !compiledIn.includes(kind)
      if (isAlone) {
        expected.set(write(kind), { kind, module, find: findOf(answer) })
      } else {
        left.push(`${JSON.stringify(kind)} of ${module}`)
      }
      met.count(isAlone ? "alone" : compiledIn.includes(kind) ? "compiled in" : "contested")
    }
    same(registry, expected, "The registry, by its kind")
    const listed = conflicts.map(({ kind, module }) => `${JSON.stringify(kind)} of ${module}`).sort()
    same(listed, left.sort(), "The list of conflicts")
    for (const { kind, module, why } of conflicts) {
      must(why.includes(kind) && why.includes(module), `The conflict of ${kind} and ${module} is not said: ${why}`)
    }
  }
})

const compiledInStays = meshLaw({
  sentence: "whatever the facts, what is compiled in stands as it is",
  paragraph: "§4",
  cases: wildMesh,
  runs: 100,
  atLeast: { kind: 1_300 },
  holds: (decide, mesh, met) => {
    const { registry } = decide(mesh)
    for (const [kind, entry] of decide({ buckets: {} }).registry) {
      same(registry.get(kind), entry, `The registry's ${kind}`)
      met.count("kind")
    }
  }
})

/** The laws of the registry, in the order of the protocol. */
export const registryLaws = [compiledInAlone, oneAnswers, compiledInStays]
