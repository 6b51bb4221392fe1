/**
 * The least that an engine could do, in plain JavaScript: one need a consumer, one provider a need, one decision, nothing decoded,
 * no digests, no reasons in words. What the engine takes beside it is what the protocol asks for (and what there is left to gain).
 */

interface Provider {
  health: string
  readonly needs: Array<Need>
}

interface Need {
  readonly key: string
  readonly provider: Provider
  entry: string | undefined
  state: string
}

/** A write of the toy. */
export interface ToyWrite {
  readonly key: string
  readonly state: string
}

/** Decides `provided` where the entry says so and the provider is healthy. */
export class Toy {
  readonly #needs = new Map<string, Need>()
  readonly #providers = new Map<string, Provider>()

  /** A need appears. */
  add(key: string, providerKey: string): ToyWrite {
    const known = this.#providers.get(providerKey)
    const provider = known ?? { health: "healthy", needs: [] }
    if (known === undefined) {
      this.#providers.set(providerKey, provider)
    }
    const need: Need = { key, provider, entry: undefined, state: "asked" }
    provider.needs.push(need)
    this.#needs.set(key, need)
    return { key, state: need.state }
  }

  /** The provider says something else of a need. */
  bound(key: string, entry: string): ReadonlyArray<ToyWrite> {
    const need = this.#needs.get(key)
    if (need === undefined || need.entry === entry) {
      return []
    }
    need.entry = entry
    return this.#settle(need)
  }

  /** The provider's own have is another. */
  have(providerKey: string, health: string): ReadonlyArray<ToyWrite> {
    const provider = this.#providers.get(providerKey)
    if (provider === undefined || provider.health === health) {
      return []
    }
    provider.health = health
    const writes: Array<ToyWrite> = []
    for (const need of provider.needs) {
      writes.push(...this.#settle(need))
    }
    return writes
  }

  #settle(need: Need): ReadonlyArray<ToyWrite> {
    const state = need.entry === "provided" && need.provider.health === "healthy" ? "provided" : "asked"
    if (state === need.state) {
      return []
    }
    need.state = state
    return [{ key: need.key, state }]
  }
}
