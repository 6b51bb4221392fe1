/**
 * What may become of a mesh around its held claims (protocol §5.2).
 */
import type { Json } from "../../core/Json.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { objectAt, type Place, put } from "../arbitrary/Snapshots.ts"
import { join } from "../naive/name.ts"
import type { Held, HeldMesh } from "./Held.ts"

/** Every node that the mesh speaks of. */
const nodesOf = (
  { facts }: HeldMesh
): ReadonlyArray<string> => [
  ...new Set([...facts.assignments, ...facts.needs, ...facts.machines].map(({ names: [node = ""] }) => node))
]

/** The mesh with a module assigned to one more node, and healthy there. */
export const assigned = (snapshot: Snapshot, node: string, module: string): Snapshot =>
  [
    [{ bucket: "mesh-controller_assignments", key: join(node, module) }, { build: "b1" }],
    [{ bucket: "mesh-host_haves", key: join(node, module) }, { build: "b1", health: "healthy" }]
  ].reduce((so, [place, value]) => put(so, place as Place, value as Json), snapshot)

/** The mesh with one more module on every node, that provides all that anybody needs, by whatever contract. */
export const withNewcomer = (mesh: HeldMesh, snapshot: Snapshot): Snapshot => {
  const provides = new Map(
    mesh.held.map(({ claim }) => [claim.provision, { credential: "consumer", contract: { version: "1.5.0" } }])
  )
  const defined = put(snapshot, { bucket: "mesh-controller_modules", key: "newcomer" }, {
    provides: Object.fromEntries(provides)
  })
  return nodesOf(mesh).reduce((so, node) => assigned(so, node, "newcomer"), defined)
}

/** What may become of a provider, short of its definition: its node is lost, it drains, it is stopped, it is not assigned. */
export const misfortunes = (
  snapshot: Snapshot,
  { by, provider: { module } }: Held
): ReadonlyArray<readonly [string, Snapshot]> => {
  const machine = { bucket: "mesh-controller_machines", key: join(by) }
  const assignment = { bucket: "mesh-controller_assignments", key: join(by, module) }
  const have = { bucket: "mesh-host_haves", key: join(by, module) }
  const there = objectAt(snapshot, assignment)
  return [
    ["lost", put(snapshot, machine, { lost: true })],
    ["draining", there === undefined ? snapshot : put(snapshot, assignment, { ...there, draining: true })],
    ["stopped", put(snapshot, have, { build: "b9", health: "stopped" })],
    ["unassigned", put(snapshot, assignment, null)]
  ]
}
