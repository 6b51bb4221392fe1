/**
 * The one table of what is measured: each metric's name, kind and meaning, as `GET /metrics` shows them and
 * docs/operating.md lists them. Names and units follow Prometheus: seconds, and `_total` for what only grows.
 */

/** What a metric is: it only grows; it is as it is now; or how often something took how long. */
type Kind = "counter" | "gauge" | "histogram"

/** Each metric, by its name. */
export const metricTable = {
  mesh_provisioner_build_info: { kind: "gauge", help: "1, with the version that runs" },
  mesh_provisioner_alive: { kind: "gauge", help: "1 while it runs, 0 where it is to be started again (/healthz)" },
  mesh_provisioner_ready: { kind: "gauge", help: "1 where it holds the seat and has loaded, or stands by (/readyz)" },
  mesh_provisioner_seat: { kind: "gauge", help: "1 for how it stands with the seat, 0 for each other state" },
  mesh_provisioner_health: { kind: "gauge", help: "1 for how the provisioner stands, 0 for each other state" },
  mesh_provisioner_buckets: { kind: "gauge", help: "Buckets that count: read, still to be read, missing or lost" },
  mesh_provisioner_bus_connected: { kind: "gauge", help: "1 while there is a connection to the bus" },
  mesh_provisioner_bus_reconnects_total: { kind: "counter", help: "How often the connection to the bus was made anew" },
  mesh_provisioner_facts: { kind: "gauge", help: "Facts, by bucket, in shape or out of it" },
  mesh_provisioner_decisions: { kind: "gauge", help: "Decisions, by bucket and state" },
  mesh_provisioner_out_of_shape: {
    kind: "gauge",
    help: "Values out of shape, those in definitions' own buckets among them"
  },
  mesh_provisioner_conflicts: {
    kind: "gauge",
    help: "Answers of definitions that do not stand, since another answers the same kind"
  },
  mesh_provisioner_turns_total: { kind: "counter", help: "Settled batches of changes that were decided" },
  mesh_provisioner_changes_total: { kind: "counter", help: "Facts that held something else than at the turn before" },
  mesh_provisioner_writes_total: { kind: "counter", help: "Writes, by bucket and by what became of them" },
  mesh_provisioner_unwritten: {
    kind: "gauge",
    help: "Keys that are wanted and cannot be written now, by bucket and why"
  },
  mesh_provisioner_change_to_write_seconds: {
    kind: "histogram",
    help: "From the first change of a batch being heard to the answer to the last write that follows"
  }
} as const satisfies { readonly [name: string]: { readonly kind: Kind; readonly help: string } }

/** The name of a metric. */
export type MetricName = keyof typeof metricTable
