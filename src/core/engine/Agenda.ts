/**
 * What is to be decided anew, consumer by consumer: nothing of a consumer is written before all of it is decided from the
 * facts as they stand, so what is written of one is never of two states of the facts.
 */
import { claimDue, type ClaimRecord, type ConsumerRecord, Due, type NeedRecord } from "./Record.ts"

/** The consumers for whom something is to be decided anew, in the order in which they came. */
export class Agenda {
  #consumers: Array<ConsumerRecord> = []
  #taken = 0

  /** How many consumers there are. */
  get size(): number {
    return this.#consumers.length - this.#taken
  }

  /**
   * Takes the first consumer out for whom anything is due. What is marked for it while it is decided for is added to what is
   * due for it now.
   */
  take(): ConsumerRecord | undefined {
    let consumer: ConsumerRecord | undefined
    do {
      consumer = this.#consumers[this.#taken]
      this.#taken += 1
    } while (consumer !== undefined && consumer.due === undefined)
    if (this.#taken >= this.#consumers.length) {
      this.#consumers = []
      this.#taken = 0
    }
    return consumer
  }

  /** The consumer is to be looked at, if only to see whether anything is left of it. */
  consumer(consumer: ConsumerRecord): Due {
    if (consumer.due === undefined) {
      consumer.due = new Due()
      this.#consumers.push(consumer)
    }
    return consumer.due
  }

  /** The decision on a need. */
  need(need: NeedRecord): void {
    if (!need.isDue) {
      need.isDue = true
      const due = this.consumer(need.consumer)
      due.needs = withOne(due.needs, need)
    }
  }

  /** What those needs of a claim come to that are due themselves. */
  someNeeds(claim: ClaimRecord): void {
    this.#claim(claim, claimDue.someNeeds)
  }

  /** What each need of a claim comes to, by whom it was resolved to be served. */
  outcome(claim: ClaimRecord): void {
    this.#claim(claim, claimDue.everyNeed)
  }

  /** Who serves a claim; the needs follow where that is another, or where they are due themselves. */
  resolution(claim: ClaimRecord): void {
    this.#claim(claim, claimDue.resolution)
  }

  /** The asks about a claim, and whether its answers count. */
  asks(claim: ClaimRecord): void {
    if (!claim.areAsksDue) {
      claim.areAsksDue = true
      const due = this.consumer(claim.of)
      if (claim.provision === "credential") {
        due.credentialAsks = withOne(due.credentialAsks, claim)
      } else {
        due.asks = withOne(due.asks, claim)
      }
    }
  }

  /** A consumer's plan. */
  plan(consumer: ConsumerRecord): void {
    this.consumer(consumer).plan = true
  }

  /** A consumer's plan, and its digest. */
  planAndDigest(consumer: ConsumerRecord): void {
    const due = this.consumer(consumer)
    due.plan = true
    due.digest = true
  }

  #claim(claim: ClaimRecord, bit: number): void {
    if (claim.due === 0) {
      const due = this.consumer(claim.of)
      due.claims = withOne(due.claims, claim)
    }
    claim.due |= bit
  }
}

const withOne = <A>(list: Array<A> | undefined, item: A): Array<A> => {
  if (list === undefined) {
    return [item]
  }
  list.push(item)
  return list
}
