/**
 * What the providers of a coherent mesh have answered: their bound entries, the vault's, and operators' answers about
 * what is needed no more.
 */
import type { Json, JsonObject } from "../../core/Json.ts"
import { digest, join } from "../naive/name.ts"
import type { Choose } from "./Choose.ts"
import { canary, canaryNumber, type Draft, type DraftClaim, members, place, type Provided } from "./CoherentDraft.ts"

/** Adds the entries of the claims, each in the bucket of a module that provides it. */
export const addEntries = (choose: Choose, mesh: Draft): void => {
  for (const module of choose.some([...new Set(mesh.provided.map(({ module }) => module))], 85)) {
    mesh.buckets.set(`${module}_bound`, new Map())
  }
  for (const claim of mesh.claims.values()) {
    const providers = mesh.provided.filter(({ perConsumer, provision }) => perConsumer && provision === claim.provision)
    const provider = choose.among(providers) ?? choose.among(mesh.provided)
    if (provider !== undefined && claim.provision !== "secret" && choose.chance(85)) {
      addEntry(choose, mesh, claim, provider)
      const second = choose.among(mesh.provided.filter(({ module }) => module !== provider.module))
      if (second !== undefined && choose.chance(10)) {
        addEntry(choose, mesh, claim, second)
      }
    }
  }
}

const addEntry = (choose: Choose, mesh: Draft, claim: DraftClaim, provider: Provided): void => {
  const bucket = `${provider.module}_bound`
  if (choose.chance(4)) {
    place(
      mesh,
      bucket,
      claim.key,
      choose.oneOf<Json>({ by: 7, text: canary }, canary, null, { state: "provided", by: "n1", values: [canary] })
    )
    return
  }
  const by = choose.chance(90) ? seatedOr(choose, mesh, provider) : choose.among(mesh.nodes) ?? "n1"
  const also = choose.chance(20) ? choose.some(mesh.nodes, 40) : []
  place(
    mesh,
    bucket,
    claim.key,
    members({
      ...stateOf(choose),
      by,
      also: also.length > 0 ? also : undefined,
      for: instanceOf(choose, mesh, claim),
      values: choose.chance(92) ? valuesOf(choose, provider) : undefined,
      text: canary
    })
  )
}

const seatedOr = (choose: Choose, mesh: Draft, { module, nodes, seat }: Provided): string => {
  const holder = seat === undefined ? undefined : mesh.buckets.get("mesh-controller_seats")?.get(seat)
  const isSeated = typeof holder === "object" && holder !== null && "node" in holder && holder["module"] === module
  return isSeated && choose.chance(80)
    ? String(holder["node"])
    : choose.among(nodes) ?? choose.among(mesh.nodes) ?? "n1"
}

const stateOf = (choose: Choose): { readonly state: string; readonly why?: string } =>
  choose.chance(68)
    ? { state: "provided" }
    : choose.oneOf(
      { state: "failed", why: `no room left ${"𝄞".repeat(choose.oneOf(1, 4_100))}` },
      { state: "failed" },
      { state: "failed", why: "" },
      { state: "making", why: "it copies" },
      { state: "making" },
      { state: "retired" },
      { state: "retired" },
      { state: "retired" }
    )

const instanceOf = (choose: Choose, mesh: Draft, { module, node }: DraftClaim): string | undefined => {
  const assignment = mesh.buckets.get("mesh-controller_assignments")?.get(join(node, module))
  const instance = typeof assignment === "object" && assignment !== null && "instance" in assignment
    ? assignment["instance"]
    : undefined
  return choose.chance(92) ? (instance === undefined ? undefined : String(instance)) : choose.oneOf("i1", "i0")
}

const valueOfType: { readonly [type: string]: Json } = { string: canary, integer: canaryNumber, boolean: true }

const valuesOf = (choose: Choose, { fields }: Provided): JsonObject => {
  const values = Object.entries(fields).flatMap(([field, type]): ReadonlyArray<readonly [string, Json]> => {
    if (type === "secret") {
      return choose.chance(6) ? [[field, canary]] : []
    }
    return choose.chance(94)
      ? [[field, valueOfType[type] ?? null]]
      : choose.chance(50)
      ? [[field, { [canary]: null }]]
      : []
  })
  return Object.fromEntries([...values, ["extra", canary]])
}

/** Adds the vault's entries: of the credentials of every entry, and of own secrets. */
export const addCredentials = (choose: Choose, mesh: Draft): void => {
  const holder = mesh.buckets.get("mesh-controller_seats")?.get("vault")
  const node = typeof holder === "object" && holder !== null && "node" in holder ? String(holder["node"]) : "n1"
  for (const claim of mesh.claims.values()) {
    for (const provider of mesh.provided.filter(({ provision }) => provision === claim.provision)) {
      for (const [field] of Object.entries(provider.fields).filter(([, type]) => type === "secret")) {
        const name = join(provider.module, claim.provision, claim.local, field)
        addVaultEntry(choose, mesh, node, join(claim.node, claim.module, "credential", name))
      }
    }
    if (claim.provision === "secret") {
      addVaultEntry(choose, mesh, node, claim.key)
    }
    if (choose.chance(3)) {
      const name = choose.oneOf("gone.database.password", "postgres.database", "p..q")
      addVaultEntry(choose, mesh, node, join(claim.node, claim.module, "credential", name))
    }
    if (choose.chance(3)) {
      addVaultEntry(choose, mesh, node, join(claim.node, claim.module, "secret", "former"))
    }
  }
}

const addVaultEntry = (choose: Choose, mesh: Draft, node: string, key: string): void => {
  if (!choose.chance(85)) {
    return
  }
  const by = choose.chance(94) ? node : choose.among(mesh.nodes) ?? node
  const value = members({
    ...(choose.chance(45) ? { state: "provided" } : stateOf(choose)),
    by,
    values: { version: canaryNumber }
  })
  place(mesh, "mesh-vault_bound", key, choose.chance(97) ? value : canary)
}

/** Adds operators' answers to some of what makers have: most of them about what it is now. */
export const addAnswers = (choose: Choose, mesh: Draft): void => {
  for (const [bucket, entries] of [...mesh.buckets].filter(([name]) => name.endsWith("_bound"))) {
    for (const [key, entry] of entries) {
      for (const maker of makersIn(entry)) {
        if (choose.chance(22)) {
          const about = choose.chance(85) ? whatIsMade(entry, maker) : "something else"
          place(
            mesh,
            "mesh-provisioner_answers",
            `${join(maker, bucket.slice(0, -"_bound".length))}.${key}`,
            members({
              answer: choose.oneOf("retire", "retire", "keep"),
              entry: digest(about),
              by: choose.oneOf("ann", ""),
              words: choose.oneOf(undefined, "moved away")
            })
          )
        }
      }
    }
  }
}

const makersIn = (entry: Json): ReadonlyArray<string> => {
  if (typeof entry !== "object" || entry === null || !("by" in entry) || typeof entry["by"] !== "string") {
    return []
  }
  const also = entry["also"] instanceof Array ? entry["also"].map(String) : []
  return [...new Set([entry["by"], ...also])]
}

const whatIsMade = (entry: Json, maker: string): Json =>
  typeof entry === "object" && entry !== null && "by" in entry && entry["by"] === maker && entry["state"] !== "retired"
    ? members({ by: entry["by"], for: entry["for"], values: entry["values"] })
    : { also: maker }
