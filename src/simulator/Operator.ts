/**
 * The operator of a simulated mesh: sees what is asked before it is retired and answers, late, or not at all, or about
 * something else than is there.
 */
import { bucketName } from "../core/BucketName.ts"
import { isJsonObject, type Json } from "../core/Json.ts"
import type { Bus } from "./Bus.ts"
import { Desk } from "./Desk.ts"
import { Party } from "./Party.ts"
import { hashOf, mix } from "./Random.ts"
import { Sight } from "./Sight.ts"

/** The operator. */
export class Operator {
  readonly party = new Party("operator")
  /** What is written without the provisioner being asked: config, and what ought not to be. */
  readonly desk: Desk
  readonly #bus: Bus
  readonly #asks: Sight
  readonly #retire: (request: Json) => void
  #works = 0

  constructor(bus: Bus, retire: (request: Json) => void) {
    this.desk = new Desk(bus, this.party)
    this.#bus = bus
    this.#retire = retire
    this.#asks = new Sight({ bus, party: this.party, bucket: bucketName.asks, changed: (key) => this.#look(key) })
  }

  #look(key: string): void {
    const ask = this.#asks.get(key)
    if (!isJsonObject(ask) || ask["state"] !== "unneeded") {
      return
    }
    const drawn = mix(this.#bus.seed ^ this.party.hash, hashOf(key), this.#works++)
    if (drawn % 10 === 0) {
      return
    }
    const answer = drawn % 4 === 1 ? "keep" : "retire"
    this.#bus.schedule.after(20 + ((drawn >>> 4) % 8_000), () => this.#retire({ key, answer, by: "ann" }))
  }
}
