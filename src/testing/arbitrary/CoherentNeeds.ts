/**
 * The consumers of a coherent mesh: what they need, what they needed once, and what they have applied.
 */
import type { ModuleOn } from "../../core/Decision.ts"
import type { Json } from "../../core/Json.ts"
import { join } from "../naive/name.ts"
import type { Choose } from "./Choose.ts"
import { assign, canary, canaryNumber, type Draft, members, place } from "./CoherentDraft.ts"

const consumers = ["shop", "wiki", "constructor"]
const needNames = ["database", "cache", "a.b", "store"]

/** Adds consumers with their needs, pins and what they have applied. */
export const addNeeds = (choose: Choose, mesh: Draft): void => {
  for (const node of mesh.nodes) {
    for (const module of consumers.slice(0, 1 + choose.upTo(2)).filter(() => choose.chance(45))) {
      addConsumer(choose, mesh, node, module)
    }
  }
  // A provider may need things too, even of its own module elsewhere.
  const provider = choose.among(mesh.provided)
  const on = provider && choose.among(provider.nodes)
  if (provider !== undefined && on !== undefined && choose.chance(30)) {
    addBoundNeed(choose, mesh, on, provider.module)
  }
}

const addConsumer = (choose: Choose, mesh: Draft, node: string, module: string): void => {
  if (choose.chance(93)) {
    assign(choose, mesh, node, module)
  }
  for (let count = choose.upTo(3); count > 0; count--) {
    addBoundNeed(choose, mesh, node, module)
  }
  for (let count = choose.upTo(2); count > 0; count--) {
    addOtherNeed(choose, mesh, node, module)
  }
  if (choose.chance(45)) {
    addFormerClaim(choose, mesh, node, module)
  }
  if (choose.chance(4)) {
    const broken = choose.oneOf("bound.more.than.enough", "bound", "b=6Fund.database")
    place(mesh, "mesh-provisioner_needs", `${join(node, module)}.${broken}`, { text: canary })
  }
  addPins(choose, mesh, { node, module })
  if (choose.chance(45)) {
    addApplied(choose, mesh, node, module)
  }
}

const addBoundNeed = (choose: Choose, mesh: Draft, node: string, module: string): void => {
  const provision = choose.among(mesh.provided)?.provision ?? choose.oneOf("database", "nothing")
  const name = choose.chance(70) ? provision : choose.among(needNames) ?? provision
  const local = choose.oneOf(undefined, undefined, "main", "é 1")
  const fields = choose.some(["host", "port", "password"], 7)
  const key = join(node, module, "bound", name)
  if (choose.chance(4)) {
    place(
      mesh,
      "mesh-provisioner_needs",
      key,
      choose.oneOf<Json>({ local: 7, text: canary }, canary, null, { contract: canary })
    )
    return
  }
  place(
    mesh,
    "mesh-provisioner_needs",
    key,
    members({
      provision: name === provision ? undefined : provision,
      local,
      contract: choose.chance(30) ? choose.oneOf(">=1", "^1.0.0", "2.x") : undefined,
      fields: fields.length > 0 ? fields : undefined,
      optional: choose.chance(12) ? true : undefined,
      own: choose.chance(15) ? true : undefined,
      default: choose.chance(10) ? canary : undefined
    })
  )
  remember(mesh, node, module, provision, local)
}

const addFormerClaim = (choose: Choose, mesh: Draft, node: string, module: string): void => {
  const provision = choose.among(mesh.provided.filter(({ perConsumer }) => perConsumer))?.provision ?? "database"
  remember(mesh, node, module, provision, choose.oneOf(undefined, "main"))
}

const remember = (mesh: Draft, node: string, module: string, provision: string, local: string | undefined): void => {
  const key = join(node, module, provision, local)
  mesh.claims.set(key, { key, node, module, provision, local })
}

const addOtherNeed = (choose: Choose, mesh: Draft, node: string, module: string): void => {
  const [kind, name] = choose.oneOf(
    ["secret", "api"],
    ["config", "theme"],
    ["licence", "seat"],
    ["dir", "state"],
    ["port", "metrics"],
    ["shell", "zsh"],
    ["collected", "routes"],
    ["consumers", "all"],
    ["token", "push"],
    ["magic", "wand"]
  )
  const optional = choose.chance(15) ? true : undefined
  const fallback = choose.chance(25) ? canary : undefined
  place(
    mesh,
    "mesh-provisioner_needs",
    join(node, module, kind, name),
    members({ optional, default: fallback, local: "main" })
  )
  if (kind === "secret") {
    remember(mesh, node, module, "secret", name)
  }
  if (kind === "config" && choose.chance(60)) {
    place(
      mesh,
      "mesh-config_values",
      join(node, module, name),
      choose.chance(90) ? { value: canary } : { text: canary }
    )
  }
  if (kind === "shell" || kind === "collected") {
    for (const contributor of choose.some(consumers, 50)) {
      const collection = kind === "collected" ? name : `${kind}:${name}`
      place(mesh, "mesh-provisioner_collect", join(node, collection, contributor), {
        lines: [canary],
        [canary]: canaryNumber
      })
    }
  }
}

const claimsOf = (mesh: Draft, node: string, module: string) =>
  [...mesh.claims.values()].filter((claim) => claim.node === node && claim.module === module)

const addPins = (choose: Choose, mesh: Draft, on: ModuleOn): void => {
  const assignments = mesh.buckets.get("mesh-controller_assignments")
  const assignment = assignments?.get(join(on.node, on.module))
  const pins = choose.some(claimsOf(mesh, on.node, on.module), 12).map(({ local, provision }) => {
    const pinned = choose.among(mesh.provided)
    const module = pinned?.module
    const node = choose.among(pinned?.nodes ?? mesh.nodes)
    const pin = choose.oneOf({ module, node: undefined }, { module: undefined, node }, { module, node })
    return [join(provision, local), members(pin)] as const
  })
  if (pins.length > 0 && typeof assignment === "object" && assignment !== null) {
    assignments?.set(join(on.node, on.module), { ...assignment, pins: Object.fromEntries(pins) })
  }
}

const addApplied = (choose: Choose, mesh: Draft, node: string, module: string): void => {
  const own = choose.some(claimsOf(mesh, node, module), 30).map(({ local, provision }) => join(provision, local))
  place(
    mesh,
    "mesh-provisioner_applied",
    join(node, module),
    members({
      plan: "0".repeat(32),
      instance: choose.oneOf(undefined, "i1", "i2"),
      own: own.length > 0 ? own : undefined,
      text: canary
    })
  )
}
