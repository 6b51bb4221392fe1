/**
 * A node of a simulated mesh: its host, which starts what is assigned and says how it runs, and its client, which writes what
 * the modules need and applies their plans.
 */
import { bucketName } from "../core/BucketName.ts"
import { isJsonObject, type Json } from "../core/Json.ts"
import type { Bus } from "./Bus.ts"
import { Desk } from "./Desk.ts"
import { Party } from "./Party.ts"
import { hashOf, mix } from "./Random.ts"
import { Sight } from "./Sight.ts"

/** A node. */
export class Node {
  /** Its name, as a token. */
  readonly name: string
  readonly party: Party
  readonly desk: Desk
  readonly #bus: Bus
  /** A module was started here. */
  readonly #started: (module: string) => void
  readonly #assignments: Sight
  readonly #plans: Sight
  /** The builds that run, by module, and those that have crashed. */
  readonly #runs = new Map<string, string>()
  readonly #crashed = new Map<string, string>()
  readonly #looking = new Set<string>()
  #works = 0

  constructor(name: string, bus: Bus, started: (module: string) => void) {
    this.name = name
    this.#started = started
    this.party = new Party(name)
    this.desk = new Desk(bus, this.party)
    this.#bus = bus
    const isMine = (key: string) => key.startsWith(`${name}.`)
    const moduleOf = (key: string) => key.slice(name.length + 1)
    const sight = (bucket: string, changed: (module: string) => void) =>
      new Sight({ bus, party: this.party, bucket, isMeant: isMine, changed: (key) => changed(moduleOf(key)) })
    this.#assignments = sight(bucketName.assignments, (module) => this.#look(module))
    this.#plans = sight(bucketName.plans, (module) => this.#apply(module))
  }

  /** Whether a module runs here. */
  runs(module: string): boolean {
    return this.#runs.has(module)
  }

  // --- the host --------------------------------------------------------------------------------------------------------

  /** A module crashes, with these words, until it is started again. */
  crash(module: string, words: string): void {
    if (this.#runs.delete(module)) {
      this.#crashed.set(module, words)
      this.#say(module, "failed", words)
      this.#bus.schedule.after(3_000 + (this.#draw(module) % 20_000), () => {
        this.#crashed.delete(module)
        this.#look(module)
      })
    }
  }

  #look(module: string): void {
    if (!this.#looking.has(module)) {
      this.#looking.add(module)
      this.#bus.schedule.after(5 + (this.#draw(module) % 80), () => {
        this.#looking.delete(module)
        this.#host(module)
      })
    }
  }

  #draw(module: string): number {
    return mix(this.#bus.seed ^ this.party.hash, hashOf(module), this.#works++)
  }

  #host(module: string): void {
    const assignment = this.#assignments.get(`${this.name}.${module}`)
    const build = isJsonObject(assignment) && typeof assignment["build"] === "string" ? assignment["build"] : undefined
    const key = `${this.name}.${module}`
    if (build === undefined) {
      // What is not assigned any more is stopped; an assignment that cannot be read changes nothing.
      if (assignment === undefined) {
        this.#runs.delete(module)
        this.#crashed.delete(module)
        this.desk.delete(bucketName.haves, key)
      }
    } else if (!this.#crashed.has(module) && this.#runs.get(module) !== build) {
      this.#runs.set(module, build)
      this.#say(module, "starting")
      this.#bus.schedule.after(20 + (this.#draw(module) % 200), () => {
        if (this.#runs.get(module) === build) {
          this.#say(module, "healthy")
          this.#started(module)
        }
      })
    }
  }

  #say(module: string, health: string, words?: string): void {
    const build = this.#runs.get(module) ?? "b0"
    const have: Json = { build, health, ...(words === undefined ? {} : { words }) }
    this.desk.put(bucketName.haves, `${this.name}.${module}`, have)
  }

  // --- the client ------------------------------------------------------------------------------------------------------

  #apply(module: string): void {
    this.#bus.schedule.after(10 + (this.#draw(module) % 300), () => {
      const key = `${this.name}.${module}`
      const plan = this.#plans.get(key)
      const assignment = this.#assignments.get(key)
      if (!isJsonObject(plan) || plan["state"] !== "ready" || !isJsonObject(assignment)) {
        return
      }
      const { build, instance } = assignment
      const own = isJsonObject(plan["needs"]) ? ownClaims(plan["needs"], (need) => this.#claimOf(module, need)) : []
      this.desk.put(bucketName.applied, key, {
        plan: plan["digest"] ?? "",
        ...(build === undefined ? {} : { build }),
        ...(instance === undefined ? {} : { instance }),
        ...(own.length === 0 ? {} : { own })
      })
    })
  }

  /** The claim of a need of its own, in tokens. */
  #claimOf(module: string, need: string): string | undefined {
    const [kind, name = ""] = need.split(".")
    const value = this.desk.wanted(bucketName.needs, `${this.name}.${module}.${need}`)
    if (kind !== "bound" || !isJsonObject(value)) {
      return undefined
    }
    const { local, provision } = value
    return `${typeof provision === "string" ? provision : name}${typeof local === "string" ? `.${local}` : ""}`
  }
}

/** The claims that a module carries by itself: those that a plan has provided and that are found nowhere. */
const ownClaims = (needs: { readonly [need: string]: Json }, claimOf: (need: string) => string | undefined) => [
  ...new Set(
    Object.entries(needs).flatMap(([need, planned]) => {
      const isOwn = isJsonObject(planned) && planned["state"] === "provided" && planned["find"] === undefined
      const claim = isOwn ? claimOf(need) : undefined
      return claim === undefined ? [] : [claim]
    })
  )
]
