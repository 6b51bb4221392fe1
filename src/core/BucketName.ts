/**
 * The names of the mesh's buckets (protocol §3 to §7), and of providers' own.
 */
import { isModuleName } from "./Name.ts"

/**
 * The buckets that protocol §3 to §7 name, by what they hold.
 *
 * @example
 * ```ts
 * import { bucketName } from "mesh-provisioner/core"
 *
 * bucketName.needs // "mesh-provisioner_needs"
 * ```
 */
export const bucketName = {
  modules: "mesh-controller_modules",
  assignments: "mesh-controller_assignments",
  machines: "mesh-controller_machines",
  seats: "mesh-controller_seats",
  configValues: "mesh-config_values",
  haves: "mesh-host_haves",
  needs: "mesh-provisioner_needs",
  applied: "mesh-provisioner_applied",
  collect: "mesh-provisioner_collect",
  answers: "mesh-provisioner_answers",
  registry: "mesh-provisioner_registry",
  provisions: "mesh-provisioner_provisions",
  plans: "mesh-provisioner_plans",
  asks: "mesh-provisioner_asks"
} as const

/**
 * The bucket in which a provider module keeps its bound entries (protocol §3).
 *
 * @example
 * ```ts
 * import { boundBucket } from "mesh-provisioner/core"
 *
 * boundBucket("postgres") // "postgres_bound"
 * ```
 */
export const boundBucket = (module: string): string => `${module}_bound`

/** The provider module that a bucket of bound entries is of, if it is one. */
export const moduleOfBoundBucket = (bucket: string): string | undefined => {
  const module = bucket.endsWith("_bound") ? bucket.slice(0, -"_bound".length) : ""
  return isModuleName(module) ? module : undefined
}

const named: ReadonlySet<string> = new Set(Object.values(bucketName))

/** Whether a bucket is one of protocol §3's own, which no definition's answer may name. */
export const isMeshBucket = (bucket: string): boolean => named.has(bucket) || bucket.endsWith("_bound")

const decisions: ReadonlySet<string> = new Set([
  bucketName.registry,
  bucketName.provisions,
  bucketName.plans,
  bucketName.asks
])

/** Whether a bucket holds decisions: what the provisioner writes (protocol §4 to §7). */
export const isDecisionBucket = (bucket: string): boolean => decisions.has(bucket)
