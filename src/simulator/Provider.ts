/**
 * A provider module of a simulated mesh, on all its nodes (protocol §6): it makes what is wanted of it, undoes what is to be
 * retired, and leaves the rest alone. It may fail, forget to answer for a while, and give values that are not as they
 * ought to be. What it has made it knows, whatever becomes of its bucket.
 */
import { boundBucket, bucketName } from "../core/BucketName.ts"
import { isJsonObject, type Json, type JsonObject, sameJson } from "../core/Json.ts"
import type { Bus } from "./Bus.ts"
import { canary, type ProviderRole } from "./Cast.ts"
import { alsoOf, type Entry, entryJson, makersOf, readEntry, readNode, writeNode } from "./Entry.ts"
import { Made } from "./Made.ts"
import { Party } from "./Party.ts"
import { hashOf, mix } from "./Random.ts"
import { claimIn, tokensOf } from "./Remembered.ts"
import { Sight } from "./Sight.ts"

/** What a provider stands in. */
export interface ProviderGround {
  readonly bus: Bus
  /** Whether the module runs on a node; on any where none is named. */
  readonly runs: (module: string, node?: string) => boolean
  /** It undoes what it made for a claim on a node: `had` is all that it ever said to have there. */
  readonly undoes: (undone: Undone) => void
}

/** What is undone. */
export interface Undone {
  readonly module: string
  readonly node: string
  readonly claim: string
  readonly had: ReadonlyArray<Json>
}

/** What is wrong with what it says next of a claim. */
export type Slip = "fails" | "leaves a field out" | "shows a secret" | "garbles its entry"

/** A provider module. */
export class Provider {
  readonly module: string
  readonly party: Party
  readonly #role: ProviderRole
  readonly #ground: ProviderGround
  readonly #bucket: string
  readonly #asks: Sight
  readonly #bound: Sight
  readonly made = new Made()
  /** What it wrote last of a claim, for when its bucket is lost. */
  readonly #entries = new Map<string, Entry>()
  /** What it wrote and had no answer to: it may be there. */
  readonly #inDoubt = new Map<string, Entry>()
  readonly #looking = new Set<string>()
  readonly #making = new Set<string>()
  readonly #writing = new Set<string>()
  readonly #slips: Array<Slip> = []
  #isForgetful = false
  #works = 0
  /** What its values are to say: another after it was moved. */
  #generation = 1

  constructor(role: ProviderRole, ground: ProviderGround) {
    this.module = role.module
    this.party = new Party(role.module)
    this.#role = role
    this.#ground = ground
    this.#bucket = boundBucket(role.module)
    const { bus } = ground
    const isMine = (key: string) => tokensOf(key)[1] === role.module
    this.#asks = new Sight({
      bus,
      party: this.party,
      bucket: bucketName.asks,
      isMeant: isMine,
      changed: (key) => this.#look(claimIn(key))
    })
    this.#bound = new Sight({ bus, party: this.party, bucket: this.#bucket, changed: (claim) => this.#look(claim) })
  }

  /** Something goes wrong with what it says next. */
  slip(slip: Slip): void {
    this.#slips.push(slip)
  }

  /** It answers nothing for a while. */
  forget(): void {
    this.#isForgetful = true
  }

  /** It is moved: its values are others. */
  move(): void {
    this.#generation += 1
    this.lookAtAll()
  }

  /** It is as it ought to be. */
  heal(): void {
    this.#isForgetful = false
    this.#slips.length = 0
    this.lookAtAll()
  }

  /** Its bucket is there again, and empty: what it has is said again, each claim as it was. */
  sayAgain(): void {
    for (const claim of this.#entries.keys()) {
      this.#look(claim)
    }
  }

  /** Looks at every claim. */
  lookAtAll(): void {
    for (const key of this.#asks.keys()) {
      this.#look(claimIn(key))
    }
    for (const claim of this.#bound.keys()) {
      this.#look(claim)
    }
    this.sayAgain()
  }

  // --- looking -------------------------------------------------------------------------------------------------------

  #look(claim: string, delay = 1 + (this.#draw(claim) % 20)): void {
    if (!this.#looking.has(claim)) {
      this.#looking.add(claim)
      this.#ground.bus.schedule.after(delay, () => {
        this.#looking.delete(claim)
        this.#act(claim)
      })
    }
  }

  #draw(claim: string): number {
    return mix(this.#ground.bus.seed ^ this.party.hash, hashOf(claim), this.#works++)
  }

  #act(claim: string): void {
    if (this.#isForgetful || this.#making.has(claim) || this.#writing.has(claim)) {
      return
    }
    const found = this.#bound.get(claim)
    const entry = readEntry(found)
    if (entry !== undefined && sameJson(entryJson(this.#inDoubt.get(claim)), entryJson(entry))) {
      this.#keep(claim, entry)
    }
    const known = this.#entries.get(claim)
    // A bucket that was lost and is empty, and an entry that is garbled: what was said of it is said again.
    if (entry === undefined && known !== undefined && makersOf(known).length > 0) {
      return this.#write(claim, known)
    }
    const wanted = this.#nodeAsked(claim, "wanted")
    const isMade = wanted === undefined || !this.#make(claim, wanted, entry)
    if (isMade && entry !== undefined) {
      this.#retire(claim, entry)
    }
  }

  #nodeAsked(claim: string, state: string): string | undefined {
    for (const key of this.#asks.keys()) {
      if (key.endsWith(`.${claim}`)) {
        const node = key.slice(0, key.indexOf("."))
        const ask = this.#asks.get(key)
        const isIt = key.length === node.length + this.module.length + claim.length + 2 && isJsonObject(ask) &&
          ask["state"] === state
        if (isIt && this.#ground.runs(this.module, node)) {
          return node
        }
      }
    }
    return undefined
  }

  #ask(node: string, claim: string): JsonObject | undefined {
    const ask = this.#asks.get(`${node}.${this.module}.${claim}`)
    return isJsonObject(ask) ? ask : undefined
  }

  // --- making ----------------------------------------------------------------------------------------------------------

  /** Makes what is wanted, where it is not made. Gives whether there was anything to do. */
  #make(claim: string, node: string, entry: Entry | undefined): boolean {
    const instance = this.#ask(node, claim)?.["for"]
    const head = {
      by: readNode(node),
      ...alsoOf(entry === undefined ? [] : makersOf(entry).filter((maker) => maker !== readNode(node))),
      ...(typeof instance === "string" ? { for: instance } : {})
    }
    const isMine = entry?.by === head.by && entry.state !== "retired" && entry.for === head.for
    if (isMine && entry.state === "provided" && sameJson(entry.values, this.#valuesOf(claim, node))) {
      return false
    }
    if (isMine) {
      this.#finish(claim, node, head)
    } else {
      // It says that it makes it before it makes anything.
      this.#write(claim, { state: "making", ...head }, () => this.#finish(claim, node, head))
    }
    return true
  }

  #finish(claim: string, node: string, head: Pick<Entry, "by" | "also" | "for">): void {
    const slip = this.#slips.shift()
    const isSaid = this.#bound.get(claim)
    const lasts = slip === undefined && isJsonObject(isSaid) && isSaid["state"] === "failed" ? 2_000 : 0
    this.#making.add(claim)
    this.#ground.bus.schedule.after(lasts + 5 + (this.#draw(claim) % 150), () => {
      this.#making.delete(claim)
      const values = this.#valuesOf(claim, node)
      switch (slip) {
        case "fails":
          return this.#write(claim, { state: "failed", why: `${this.module} has no room ${this.#works}`, ...head })
        case "leaves a field out":
          return this.#write(claim, {
            state: "provided",
            ...head,
            values: Object.fromEntries(Object.entries(values).slice(1))
          })
        case "shows a secret":
          return this.#write(claim, { state: "provided", ...head, values: { ...values, password: canary } })
        case "garbles its entry":
          return this.#writeText(claim, `{ "state": "provided", "by": 7, "values": "${canary}" }`, undefined)
        default:
          return this.#write(claim, { state: "provided", ...head, values })
      }
    })
  }

  #valuesOf(claim: string, node: string): JsonObject {
    const provision = tokensOf(claim)[2] ?? ""
    const values = this.#role.provides[provision.replace("=2E", ".")] ?? {}
    return { ...values, generation: this.#generation, node }
  }

  // --- retiring --------------------------------------------------------------------------------------------------------

  #retire(claim: string, entry: Entry): void {
    for (const maker of makersOf(entry)) {
      const node = writeNode(maker)
      const ask = this.#ask(node, claim)
      if (ask?.["state"] === "retire" && (this.#ground.runs(this.module, node) || this.#mayForget(ask))) {
        const had = this.made.undo(claim, entry, maker)
        if (had !== undefined) {
          this.#ground.undoes({ module: this.module, node, claim, had })
        }
        const left = alsoOf((entry.also ?? []).filter((other) => other !== maker))
        const { also: _, ...rest } = entry
        const without = maker === entry.by ? { ...rest, state: "retired", ...left } : { ...rest, ...left }
        return this.#write(claim, without)
      }
    }
    if (entry.state === "retired" && makersOf(entry).length === 0 && this.#nodeAsked(claim, "wanted") === undefined) {
      const revision = this.#bound.revisionOf(claim)
      this.#ground.bus.schedule.after(60_000, () => {
        if (revision !== undefined && this.#bound.revisionOf(claim) === revision) {
          this.#entries.delete(claim)
          this.#writeText(claim, undefined, undefined)
        }
      })
    }
  }

  // An instance elsewhere may forget a maker that is gone.
  #mayForget(ask: JsonObject): boolean {
    return ask["gone"] === true && this.#ground.runs(this.module)
  }

  // --- writing ---------------------------------------------------------------------------------------------------------

  #write(claim: string, entry: Entry, then?: () => void): void {
    this.#inDoubt.set(claim, entry)
    this.#writeText(claim, JSON.stringify(entry), () => {
      this.#keep(claim, entry)
      then?.()
    })
  }

  #keep(claim: string, entry: Entry): void {
    this.#inDoubt.delete(claim)
    this.#entries.set(claim, entry)
    this.made.say(claim, entry)
  }

  #writeText(claim: string, text: string | undefined, then: (() => void) | undefined): void {
    const follows = this.#bound.revisionOf(claim)
    if (text === undefined && follows === undefined) return
    const sent = { by: this.party, bucket: this.#bucket, key: claim, text, follows }
    this.#writing.add(claim)
    // What became of one that failed is seen when the bus says so, or it is tried again.
    this.#ground.bus.send(sent, (reply) => {
      this.#writing.delete(claim)
      if ("wrong" in reply) {
        this.#look(claim, 300)
      } else {
        then?.()
        this.#look(claim, 40)
      }
    })
  }
}
