/**
 * Holds what one simulated provisioner decides against the laws, as soon as it is decided: only what a change may have
 * touched is looked at, so that each step can be checked.
 */
import { boundBucket, bucketName, moduleOfBoundBucket } from "../core/BucketName.ts"
import type { Ask, Provision } from "../core/Decision.ts"
import { Engine, type EngineChange } from "../core/Engine.ts"
import { whatIfOf } from "../core/WhatIf.ts"
import type { Decided, Decider } from "../provisioner/Decider.ts"
import { askKeyOf, readAskKey, wrongAsk } from "./AskLaw.ts"
import { Group } from "./Group.ts"
import { entryIn, Knowledge, makersIn, tokenOf } from "./Knowledge.ts"
import type { Laws } from "./Laws.ts"
import { wrongPlan } from "./PlanLaw.ts"
import { lawOfProvision, wrongProvision } from "./ProvisionLaw.ts"
import { consumerIn } from "./Remembered.ts"
import { wrongServed } from "./ServedLaw.ts"
import { Standing } from "./Standing.ts"

/** The engine of a simulated provisioner, and who watches over it. */
export class Guard implements Decider {
  readonly #engine = new Engine()
  readonly #facts: Knowledge
  readonly #laws: Laws
  readonly #process: string
  /** The facts that changed, and the decisions that were said, since it was last looked: keys, by their bucket. */
  readonly #changed = new Group()
  readonly #said = new Group()
  readonly #standing = new Standing()
  #isAllDoubtful = false
  /** Whether an operator's answer is to be deleted. */
  readonly isAnswerOver = (key: string): boolean => this.#engine.isAnswerOver(key)
  readonly #provisions = { ofConsumer: new Group(), standingOn: new Group() }
  /** What a provision stood on when it was last looked at: keys of its provider and of what it waits for. */
  readonly #standsOn = new Map<string, ReadonlyArray<string>>()
  readonly #asks = { ofConsumer: new Group(), wanted: new Group() }

  constructor(
    process: string,
    laws: Laws,
    jsonOf: (bytes: Uint8Array) => ReturnType<Knowledge["get"]>
  ) {
    this.#process = process
    this.#laws = laws
    this.#facts = new Knowledge(jsonOf)
  }

  get facts(): Engine["facts"] {
    return this.#engine.facts
  }

  whatIf(changes: ReadonlyArray<EngineChange>): ReturnType<Decider["whatIf"]> {
    return this.#engine.whatIf([], pendingMax).pending > 0 ? "busy" : whatIfOf(this.#engine, changes)
  }

  take(change: EngineChange): boolean {
    const isNews = this.#engine.take([change]) > 0
    this.#facts.take(change)
    if ("isThere" in change) {
      this.#isAllDoubtful = true
    } else {
      this.#changed.add(change.bucket, change.key)
    }
    return isNews
  }

  decide(thingsMax: number): Decided {
    const { pending, writes } = this.#engine.step([], thingsMax)
    for (const write of writes) {
      this.#laws.checked += 1
      if (!this.#standing.take(write)) {
        this.#laws.broken(
          "only what changes",
          `${this.#process} decides to ${write.op} ${write.bucket} ${write.key}, which stands so already`
        )
      }
      this.#said.add(write.bucket, write.key)
    }
    if (pending === 0) {
      this.#check()
    }
    return { decisions: this.#engine.decisions, changed: writes, isPending: pending > 0 }
  }

  // --- what is to be looked at ---------------------------------------------------------------------------------------

  #check(): void {
    const provisions = new Set(this.#said.of(bucketName.provisions))
    const asks = new Set(this.#said.of(bucketName.asks))
    const plans = new Set(this.#said.of(bucketName.plans))
    for (const key of provisions) {
      this.#file(key)
      plans.add(consumerIn(key))
    }
    for (const key of asks) {
      this.#fileAsk(key)
    }
    for (const bucket of this.#changed.ids()) {
      for (const key of this.#changed.of(bucket)) {
        this.#touch(bucket, key, provisions, asks)
      }
    }
    if (this.#isAllDoubtful) {
      this.#touchAll(provisions, asks)
    }
    this.#said.clear()
    this.#changed.clear()
    this.#isAllDoubtful = false
    for (const key of provisions) {
      this.#lookAtProvision(key)
    }
    for (const key of asks) {
      this.#lookAtAsk(key)
    }
    for (const key of plans) {
      this.#lookAtPlan(key)
    }
  }

  /** What a change of a fact may have touched. */
  #touch(bucket: string, key: string, provisions: Set<string>, asks: Set<string>): void {
    switch (bucket) {
      case bucketName.modules:
      case bucketName.seats:
      case bucketName.machines:
        return this.#touchAll(provisions, asks)
      case bucketName.answers:
        return addAll(asks, this.#asks.ofConsumer.of(readAskKey(key).consumer))
      case bucketName.collect:
        return
    }
    const module = moduleOfBoundBucket(bucket)
    if (module !== undefined) {
      this.#lookAtMakers(module, key)
    } else {
      addAll(provisions, this.#provisions.standingOn.of(key))
    }
    const consumer = consumerIn(key)
    addAll(provisions, this.#provisions.ofConsumer.of(consumer))
    addAll(asks, this.#asks.ofConsumer.of(consumer))
  }

  #touchAll(provisions: Set<string>, asks: Set<string>): void {
    addAll(provisions, this.#engine.decisions.provisions.keys())
    addAll(asks, this.#engine.decisions.asks.keys())
    for (const bucket of this.#facts.buckets()) {
      const module = moduleOfBoundBucket(bucket)
      for (const claim of module === undefined ? [] : this.#facts.keys(bucket)) {
        this.#lookAtMakers(module ?? "", claim)
      }
    }
  }

  #file(key: string): void {
    const provision = this.#engine.decisions.provisions.get(key)
    const consumer = consumerIn(key)
    for (const id of this.#standsOn.get(key) ?? []) {
      this.#provisions.standingOn.remove(id, key)
    }
    if (provision === undefined) {
      this.#provisions.ofConsumer.remove(consumer, key)
      this.#standsOn.delete(key)
      return
    }
    const standsOn = keysUnder(provision)
    for (const id of standsOn) {
      this.#provisions.standingOn.add(id, key)
    }
    this.#provisions.ofConsumer.add(consumer, key)
    this.#standsOn.set(key, standsOn)
  }

  #fileAsk(key: string): void {
    const { claim, consumer } = readAskKey(key)
    const ask = this.#engine.decisions.asks.get(key)
    if (ask === undefined) {
      this.#asks.ofConsumer.remove(consumer, key)
    } else {
      this.#asks.ofConsumer.add(consumer, key)
    }
    if (ask?.state === "wanted") {
      this.#asks.wanted.add(claim, key)
    } else {
      this.#asks.wanted.remove(claim, key)
    }
  }

  // --- looking -------------------------------------------------------------------------------------------------------

  #lookAtProvision(key: string): void {
    const provision: Provision | undefined = this.#engine.decisions.provisions.get(key)
    if (provision === undefined) {
      return
    }
    this.#laws.meet(provision.reason)
    const served = wrongServed(this.#facts, key, provision)
    if (served !== undefined) {
      this.#laws.broken("served rightly", `${this.#process} decided on ${key}: ${served}`)
    }
    const wrong = wrongProvision(this.#facts, key, provision)
    if (wrong !== undefined) {
      this.#laws.broken(lawOfProvision(provision), `${this.#process} decided on ${key}: ${wrong}`)
    }
  }

  #lookAtAsk(key: string): void {
    const ask: Ask | undefined = this.#engine.decisions.asks.get(key)
    const { claim, module } = readAskKey(key)
    if (ask === undefined) {
      return this.#lookAtMakers(module, claim)
    }
    this.#laws.meet(ask.state)
    const wanted = this.#asks.wanted.of(claim)
    if (wanted.size > 1) {
      this.#laws.broken("one provider", `${this.#process} wants ${claim} of several: ${[...wanted].join(", ")}`)
    }
    const wrong = wrongAsk(
      {
        facts: this.#facts,
        provisionsOf: (consumer) => this.#provisionsOf(consumer),
        askOf: (key) => this.#engine.decisions.asks.get(key)
      },
      key,
      ask
    )
    if (wrong !== undefined) {
      this.#laws.broken(
        ask.state === "retire" ? "nothing undone" : "asked rightly",
        `${this.#process} asks ${key}: ${wrong}`
      )
    }
  }

  #lookAtPlan(consumer: string): void {
    const plan = this.#engine.decisions.plans.get(consumer)
    const wrong = plan && wrongPlan(this.#facts, consumer, plan, this.#provisionsOf(consumer))
    this.#laws.checked += 1
    if (wrong !== undefined) {
      this.#laws.broken("planned rightly", `${this.#process} plans ${consumer}: ${wrong}`)
    }
  }

  *#provisionsOf(consumer: string): Iterable<readonly [key: string, provision: Provision]> {
    const { provisions } = this.#engine.decisions
    for (const key of this.#provisions.ofConsumer.of(consumer)) {
      const provision = provisions.get(key)
      if (provision !== undefined) {
        yield [key, provision]
      }
    }
  }

  #lookAtMakers(module: string, claim: string): void {
    const entry = entryIn(this.#facts, module, claim)
    for (const maker of entry === undefined ? [] : makersIn(entry)) {
      const key = askKeyOf(maker, module, claim)
      this.#laws.checked += 1
      if (this.#engine.decisions.asks.get(key) === undefined) {
        this.#laws.broken(
          "nothing forgotten",
          `${this.#process} asks nothing about what ${key} made (${boundBucket(module)})`
        )
      }
    }
  }
}

/** With more to be decided anyway than that, a what-if waits. */
const pendingMax = 500

/** The keys, other than its consumer's, of which a provision may be another when they hold something else. */
const keysUnder = ({ find, provider, waits }: Provision): ReadonlyArray<string> => [
  ...(provider === undefined ? [] : [`${tokenOf(provider.node)}.${provider.module}`]),
  ...(waits === undefined ? [] : [waits.key]),
  ...(find !== undefined && "bucket" in find ? [find.key] : [])
]

const addAll = (keys: Set<string>, more: Iterable<string>): void => {
  for (const key of more) {
    keys.add(key)
  }
}
