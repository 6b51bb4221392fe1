/**
 * The candidates for one provision, and what a change of one of them can move: the claims that it serves, those that it
 * wins, and those that nobody served (protocol §5.2).
 */
import type { Facts } from "../Facts.ts"
import { nodeToken, writeKey } from "../Key.ts"
import type { Mesh, Provider, Providers } from "../Mesh.ts"
import { type Resolution, wins } from "../Resolve.ts"
import { putIn, takeOut } from "./Dense.ts"
import { placeOf } from "./InOrder.ts"
import { claimDue, type ClaimRecord, type ModuleRecord } from "./Record.ts"

/** What may have changed of a candidate. */
interface Touch {
  /** Whether it is one, or may serve. */
  isFit: boolean
  /** Its rank for every claim. */
  isRank: boolean
  /** Its rank for the claims of these sites. */
  readonly sites: Array<string | undefined>
}

type Served = Extract<Resolution, { readonly _tag: "Served" }>

/** Changes of a candidate beyond this many at once have the list of them made anew. */
const patchesMax = 64

/** A provision: who may serve it, and the claims of it that nobody holds. */
export class ProvisionRecord implements Providers {
  readonly name: string
  /** The modules whose definition provides it. */
  readonly #modules = new Map<string, ModuleRecord>()
  readonly #unheld: Array<ClaimRecord> = []
  readonly #facts: Facts
  readonly #touched = new Map<string, Touch>()
  readonly #touchedModules = new Set<string>()
  #isSeatTouched = false
  /** How many of the unheld claims were looked at for what was touched. */
  #looked = 0
  #all: Array<Provider> | undefined

  constructor(name: string, facts: Facts) {
    this.name = name
    this.#facts = facts
  }

  /** The claims that are the candidates' to serve; of `secret`, all. */
  get unheld(): ReadonlyArray<ClaimRecord> {
    return this.#unheld
  }

  /** Whether nobody provides it and nobody needs it of a candidate. */
  get isEmpty(): boolean {
    return this.#modules.size + this.#unheld.length === 0
  }

  /** A claim is the candidates' to serve. */
  addUnheld(claim: ClaimRecord): void {
    putIn(this.#unheld, claim, "unheldAt")
    if (this.#unheld.length === 1) {
      this.#modules.forEach(({ contested }) => contested.add(this))
    }
  }

  /** A claim is not, or no more, the candidates' to serve. What is listed of them is kept only while some are. */
  removeUnheld(claim: ClaimRecord): void {
    takeOut(this.#unheld, claim, "unheldAt")
    if (this.#unheld.length === 0) {
      this.#modules.forEach(({ contested }) => contested.delete(this))
      this.#all = undefined
    }
  }

  /** A module's definition provides it, or does no more, or by another contract. */
  setModule(name: string, module: ModuleRecord, isProvided: boolean): void {
    this.#touchedModules.add(name)
    this.#looked = 0
    module.contested.delete(this)
    this.#modules.delete(name)
    if (isProvided) {
      this.#modules.set(name, module)
    }
    if (isProvided && this.#unheld.length > 0) {
      module.contested.add(this)
    }
  }

  get all(): ReadonlyArray<Provider> {
    this.#all ??= [...this.#modules.values()].flatMap((module) => this.#of(module))
      .sort((one, other) => one.key < other.key ? -1 : 1)
    return this.#all
  }

  on(node: string): ReadonlyArray<Provider> {
    const found: Array<Provider> = []
    for (const module of this.#modules.keys()) {
      found.push(...this.#at(writeKey(node, module)))
    }
    return found
  }

  /** A candidate is there, is so no more, or may serve by another rule. */
  touchFit(key: string): void {
    this.#touch(key).isFit = true
  }

  /** A candidate's rank is another for every claim. */
  touchRank(key: string): void {
    this.#touch(key).isRank = true
  }

  /** A candidate's site is another. */
  touchSite(key: string, before: string | undefined, after: string | undefined): void {
    this.#touch(key).sites.push(before, after)
  }

  /** A seat that it is held by has another holder, or none: of the candidates, those two are touched besides. */
  touchSeat(): void {
    this.#isSeatTouched = true
    this.#looked = 0
  }

  /** Whether claims are still to be looked at for what was touched. */
  get isTouched(): boolean {
    return this.#isSeatTouched || this.#touchedModules.size + this.#touched.size > 0
  }

  /**
   * Marks the unheld claims that what was touched can move, but those that are to be resolved anyway. What is touched before all
   * were looked at has them looked at from the first on.
   *
   * @param looksMax how often a candidate is looked at for a claim at most, but for one claim in any case.
   * @returns how often it was.
   */
  contest(mesh: Mesh, looksMax: number, mark: (claim: ClaimRecord) => void): number {
    // Whom nobody asks for anything challenges nobody: a module of many provisions may be on many nodes.
    if (this.#unheld.length === 0) {
      this.#forget()
      return 0
    }
    const challengers = this.#challengers()
    const looksAClaim = 1 + challengers.length
    const from = this.#looked
    const until = Math.min(this.#unheld.length, from + Math.max(1, Math.floor(looksMax / looksAClaim)))
    const isFit = this.#isSeatTouched || this.#touchedModules.size > 0 ||
      [...this.#touched.values()].some((touch) => touch.isFit)
    for (const claim of this.#unheld.slice(from, until)) {
      const { resolution } = claim
      if (resolution === undefined || (claim.due & claimDue.resolution) !== 0) {
        continue
      }
      if (resolution._tag !== "Served" ? isFit : this.#isMoved(mesh, claim, resolution, challengers)) {
        mark(claim)
      }
    }
    this.#looked = until
    if (until === this.#unheld.length) {
      this.#forget()
    }
    return (until - from) * looksAClaim
  }

  #isMoved(
    mesh: Mesh,
    claim: ClaimRecord,
    { key, provider: { module, node } }: Served,
    challengers: ReadonlyArray<Provider>
  ): boolean {
    const touch = this.#touched.get(key)
    if (this.#touchedModules.has(module) || touch?.isFit === true || touch?.isRank === true) {
      return true
    }
    const site = mesh.facts.machines.value(nodeToken(claim.key))?.site
    if (touch !== undefined && node !== claim.node && site !== undefined && touch.sites.includes(site)) {
      return true
    }
    const [serving] = challengers.length === 0 ? [] : this.#at(key)
    return serving !== undefined && challengers.some((one) => one.key !== key && wins(mesh, claim, one, serving))
  }

  #challengers(): ReadonlyArray<Provider> {
    const modules = this.#touchedModules
    return [
      ...[...modules].flatMap((module) => this.#of(this.#modules.get(module))),
      ...[...this.#touched.keys()].flatMap((key) => this.#at(key)).filter(({ module }) => !modules.has(module))
    ]
  }

  #of(module: ModuleRecord | undefined): ReadonlyArray<Provider> {
    return [...module?.assigned ?? []].flatMap((key) => this.#at(key))
  }

  // What was listed is brought up to date where little changed, and else listed anew when it is asked for.
  #forget(): void {
    const all = this.#touchedModules.size > 0 || this.#touched.size > patchesMax ? undefined : this.#all
    for (const key of all === undefined ? [] : this.#touched.keys()) {
      const at = all === undefined ? 0 : placeOf(all, key, keyOf)
      all?.splice(at, all[at]?.key === key ? 1 : 0, ...this.#at(key))
    }
    this.#all = all
    this.#touched.clear()
    this.#touchedModules.clear()
    this.#isSeatTouched = false
    this.#looked = 0
  }

  #at(key: string): ReadonlyArray<Provider> {
    const { names, value } = this.#facts.assignments.fact(key) ?? {}
    const contract = names && this.#facts.modules.value(names.module)?.provides.get(this.name)
    return names === undefined || value === undefined || contract === undefined
      ? []
      : [{
        key,
        machine: nodeToken(key),
        node: names.node,
        module: names.module,
        isDraining: value.draining === true,
        contract
      }]
  }

  #touch(key: string): Touch {
    const touch = this.#touched.get(key) ?? { isFit: false, isRank: false, sites: [] }
    this.#touched.set(key, touch)
    this.#looked = 0
    return touch
  }
}

const keyOf = ({ key }: Provider): string => key
