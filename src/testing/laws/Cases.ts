/**
 * What the laws are tried on: meshes of all sorts, and meshes of which some is lost.
 */
import * as fc from "fast-check"
import type { Snapshot } from "../../core/Snapshot.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import type { Turn } from "../arbitrary/LeavingOut.ts"
import { lossOf } from "../arbitrary/Loss.ts"
import { wildMesh } from "../arbitrary/WildMesh.ts"
import { type LawOf, lawOf, type LawSpec } from "./Law.ts"
import { tellMesh, tellTurn } from "./Tell.ts"

/** Coherent meshes of which some facts are lost. */
export const lossyMesh: fc.Arbitrary<Snapshot> = lossOf(coherentMesh).map(({ after }) => after)

/** Meshes of all sorts. */
export const anyMesh: fc.Arbitrary<Snapshot> = fc.oneof(coherentMesh, wildMesh, lossyMesh)

/** A law over meshes as they are. */
export const meshLaw = (spec: Omit<LawSpec<Snapshot>, "tell">): LawOf => lawOf({ ...spec, tell: tellMesh })

/** A law over meshes as they were and as they are. */
export const turnLaw = <Case extends Turn>(spec: Omit<LawSpec<Case>, "tell">): LawOf =>
  lawOf({ ...spec, tell: tellTurn })
