/**
 * The facts that a seeded mesh is made of.
 */
import type { Json } from "../../src/core/index.ts"

/** A fact: what a key of a bucket holds. */
export interface Put {
  readonly bucket: string
  readonly key: string
  readonly value: Json
}

/** A fact. */
export const put = (bucket: string, key: string, value: Json = {}): Put => ({ bucket, key, value })

/** A need of a consumer, as `bound.database`. */
export const need = (consumer: string, name: string, value: Json = {}): Put =>
  put("mesh-provisioner_needs", `${consumer}.${name}`, value)

/** What a provider made for a claim, in its bound bucket. */
export const made = (consumer: string, claim: Claim, by: string, more: { readonly [name: string]: Json } = {}): Put =>
  put(`${claim.module}_bound`, `${consumer}.${claim.name}`, {
    state: "provided",
    by,
    values: { ...valuesOf[claim.name.replace(/\..*/u, "")] },
    ...more
  })

/** A claim by its key's last tokens, as `database` or `database.archive`, and who provides it. */
export interface Claim {
  readonly module: string
  readonly name: string
}

const valuesOf: { readonly [provision: string]: { readonly [field: string]: Json } } = {
  database: { host: "db.example.org", port: 5_432, user: "shop" },
  cache: { host: "cache.example.org" },
  queue: { host: "queue.example.org", port: 5_672 },
  mailbox: { address: "shop@example.org" },
  ledger: { book: "main" }
}

/** What the vault has of a claim's secret fields. */
export const credentials = function*(
  consumer: string,
  { module, name }: Claim,
  fields: ReadonlyArray<string>,
  version = 1
): Iterable<Put> {
  for (const field of fields) {
    const credential = [module, ...name.split("."), field].join("=2E")
    yield put("mesh-vault_bound", `${consumer}.credential.${credential}`, {
      state: "provided",
      by: "n0",
      values: { version }
    })
  }
}
