/**
 * Coherent meshes: small, and of real relations. Modules provide and are assigned, others need what they provide, entries
 * answer claims by the contract that stands, the vault has the credentials, and what is needed no more is still there.
 * Some of it is amiss, as anywhere: a provider fails, a need is garbled, a definition is gone.
 */
import type * as fc from "fast-check"
import type { Json } from "../../core/Json.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { join } from "../naive/name.ts"
import { type Choose, chosen } from "./Choose.ts"
import { assign, canary, canaryNumber, type Draft, members, place } from "./CoherentDraft.ts"
import { addAnswers, addCredentials, addEntries } from "./CoherentEntries.ts"
import { addNeeds } from "./CoherentNeeds.ts"
import { leavingFactsOut } from "./LeavingOut.ts"

const nodeNames = ["n1", "n2", "n3", "hut é.4"]
const providerModules = ["postgres", "maria", "toString"]
const provisions = ["database", "cache", "a.b"]
const fieldTypes = [
  ["host", "string"],
  ["port", "integer"],
  ["__proto__", "boolean"],
  ["password", "secret"],
  ["key.2", "secret"]
] as const

/**
 * Coherent meshes (protocol §3): of few nodes and modules, and of real relations, so that nearly every rule has something to
 * decide. Some of each is amiss, as anywhere. They shrink by leaving facts out, and then by less in what each holds.
 *
 * @example
 * ```ts
 * import * as fc from "fast-check"
 * import { decide } from "mesh-provisioner/core"
 * import { coherentMesh } from "mesh-provisioner/testing"
 *
 * // Every need is decided on, one way or another.
 * fc.assert(
 *   fc.property(coherentMesh, (mesh) => {
 *     const { outOfShape, provisions } = decide(mesh)
 *     const needs = Object.keys(mesh.buckets["mesh-provisioner_needs"] ?? {})
 *     return needs.every((key) => provisions.has(key) || outOfShape.some((fact) => fact.key === key))
 *   }),
 *   { numRuns: 20 }
 * )
 * ```
 */
export const coherentMesh: fc.Arbitrary<Snapshot> = leavingFactsOut(chosen((choose) => {
  const nodes = nodeNames.slice(0, 2 + choose.upTo(2))
  const mesh: Draft = { buckets: new Map(), nodes, provided: [], claims: new Map(), wantedFields: new Map() }
  addMachines(choose, mesh)
  addProviders(choose, mesh)
  addSeats(choose, mesh)
  addNeeds(choose, mesh)
  addEntries(choose, mesh)
  addCredentials(choose, mesh)
  addAnswers(choose, mesh)
  addHaves(choose, mesh)
  return {
    buckets: Object.fromEntries(Array.from(mesh.buckets, ([name, values]) => [name, Object.fromEntries(values)]))
  }
}))

const addMachines = (choose: Choose, mesh: Draft): void => {
  for (const node of choose.some(mesh.nodes, 90)) {
    place(
      mesh,
      "mesh-controller_machines",
      join(node),
      members({
        site: choose.oneOf("home", "away", undefined),
        lost: choose.chance(8) ? true : undefined,
        seal: `key ${canary}`
      })
    )
  }
}

const addProviders = (choose: Choose, mesh: Draft): void => {
  for (const module of providerModules.slice(0, 1 + choose.upTo(2))) {
    const nodes = choose.chance(95) ? mesh.nodes.filter((_, index) => index === 0 || choose.chance(40)) : []
    for (const node of nodes) {
      assign(choose, mesh, node, module, 10)
    }
    const provides = provisions.slice(0, 1 + choose.upTo(2)).filter(() => choose.chance(75))
      .map((provision) => [provision, provisionOf(choose, mesh, module, provision, nodes)] as const)
    const answers = [...answersOf(choose, mesh, module)]
    if (choose.chance(96)) {
      place(
        mesh,
        "mesh-controller_modules",
        module,
        members({
          provides: choose.chance(98) ? Object.fromEntries(provides) : 7,
          answers: Object.fromEntries(answers),
          directories: { state: { unknown: "program" } },
          title: canary
        })
      )
    }
  }
}

const provisionOf = (
  choose: Choose,
  mesh: Draft,
  module: string,
  provision: string,
  nodes: ReadonlyArray<string>
): Json => {
  const perConsumer = choose.chance(78)
  const fields = Object.fromEntries(
    fieldTypes.filter(([, type]) => (perConsumer || type !== "secret") && choose.chance(35))
  )
  const seat = choose.chance(15) ? "main" : undefined
  mesh.provided.push({ module, provision, perConsumer, fields, seat, nodes })
  return members({
    credential: perConsumer ? "consumer" : choose.chance(97) ? "none" : "some",
    contract: members({ version: choose.oneOf("1.4.0", "2.0.0", undefined), fields }),
    retire: choose.oneOf(undefined, "ask", "free"),
    seat
  })
}

const answersOf = function*(choose: Choose, mesh: Draft, module: string): Iterable<readonly [string, Json]> {
  if (choose.chance(60)) {
    const bucket = `${module}_licences`
    yield ["licence", { bucket, key: choose.oneOf("<name>.<node>", "<kind>.shared") }]
    for (const node of choose.some(mesh.nodes, 50)) {
      place(mesh, bucket, `seat.${join(node)}`, { text: canary, count: canaryNumber })
    }
    if (choose.chance(50)) {
      place(mesh, bucket, "licence.shared", canary)
    }
  }
  if (choose.chance(25)) {
    yield ["token", { seat: "main", verb: `${module}.token` }]
  }
}

const addSeats = (choose: Choose, mesh: Draft): void => {
  if (choose.chance(88)) {
    const node = choose.among(mesh.nodes) ?? "n1"
    const module = choose.chance(94) ? "mesh-vault" : "postgres"
    place(mesh, "mesh-controller_seats", "vault", { node, module })
    if (choose.chance(90)) {
      assign(choose, mesh, node, module)
    }
  }
  const holding = choose.among(mesh.provided.filter(({ seat }) => seat !== undefined)) ?? choose.among(mesh.provided)
  if (holding !== undefined && choose.chance(80)) {
    const node = choose.among(holding.nodes) ?? choose.among(mesh.nodes) ?? "n1"
    place(mesh, "mesh-controller_seats", "main", { node, module: holding.module })
  }
}

const addHaves = (choose: Choose, mesh: Draft): void => {
  for (const [key, assignment] of mesh.buckets.get("mesh-controller_assignments") ?? []) {
    if (choose.chance(90)) {
      const wanted = typeof assignment === "object" && assignment !== null && "build" in assignment
        ? assignment["build"]
        : "b1"
      place(
        mesh,
        "mesh-host_haves",
        key,
        members({
          build: choose.chance(88) ? wanted ?? "b1" : "b0",
          health: choose.chance(75) ? "healthy" : choose.oneOf("starting", "unhealthy", "stopped", "failed"),
          words: choose.oneOf(undefined, "", "disk full")
        })
      )
    }
  }
}
