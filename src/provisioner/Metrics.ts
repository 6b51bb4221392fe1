/**
 * What the daemon counts, in the text format of Prometheus (`GET /metrics`).
 *
 * What happens is counted from the turns, each as large as its own writes. What there is, facts and decisions by state, is
 * read when it is asked for: the engine keeps it counted, so that neither a turn nor a scrape costs what the mesh is large.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import { bucketName } from "../core/BucketName.ts"
import type { VerbSource } from "../core/Verb.ts"
import type { Health } from "./Health.ts"
import { type MetricName, metricTable } from "./MetricTable.ts"
import type { Provisioner } from "./Provisioner.ts"
import type { PutOffHow } from "./PutOff.ts"
import { seatStates, type Standing, type Status, statusOf } from "./Status.ts"
import { counted, factCounts, tallyOf } from "./Tally.ts"
import type { Turn, WriteOutcome } from "./Turn.ts"

/** What the metrics are asked of beside what was counted. */
export interface Observed {
  readonly standing: Standing
  /** The facts and the last decisions; none where this instance knows none. */
  readonly source: VerbSource | undefined
}

/** The metrics of one process, over all terms in which it holds the seat. */
export class Metrics {
  readonly #happened = new Series()
  readonly #version: string

  constructor(version: string) {
    this.#version = version
    this.#happened.add("mesh_provisioner_turns_total", 0)
    this.#happened.add("mesh_provisioner_changes_total", 0)
    for (const bucket of writtenBuckets) {
      for (const outcome of Object.keys(outcomes)) {
        this.#happened.add("mesh_provisioner_writes_total", 0, { bucket, outcome })
      }
    }
    this.#happened.begin("mesh_provisioner_change_to_write_seconds")
  }

  /** Counts a turn. */
  countTurn({ changes, changeToWriteMillis, writes }: Turn): void {
    this.#happened.add("mesh_provisioner_turns_total", 1)
    this.#happened.add("mesh_provisioner_changes_total", changes)
    for (const [id, count] of counted(writes, ({ outcome, write }) => `${write.bucket} ${outcome}`)) {
      const [bucket = "", outcome = ""] = id.split(" ")
      this.#happened.add("mesh_provisioner_writes_total", count, { bucket, outcome })
    }
    if (changeToWriteMillis !== undefined) {
      this.#happened.add("mesh_provisioner_change_to_write_seconds", changeToWriteMillis / 1_000)
    }
  }

  /** All of it, as Prometheus reads it. */
  text({ source, standing }: Observed): string {
    const now = new Series()
    now.add("mesh_provisioner_build_info", 1, { version: this.#version })
    addStanding(now, standing, statusOf(standing))
    if (source !== undefined) {
      addMesh(now, source)
    }
    return this.#happened.text + now.text
  }
}

/** Counts the turns of each provisioner, one term after the other, until the stream ends. */
export const countTurns = (
  metrics: Metrics,
  provisioners: Stream.Stream<Provisioner["Service"] | undefined>
): Effect.Effect<void> =>
  provisioners.pipe(
    Stream.switchMap((provisioner) =>
      provisioner === undefined
        ? Stream.empty
        : Stream.unwrap(Effect.map(provisioner.turns, (turns) => Stream.fromEffect(countAll(metrics, turns))))
    ),
    Stream.runDrain
  )

const countAll = (metrics: Metrics, turns: PubSub.Subscription<Turn>): Effect.Effect<never> =>
  Effect.forever(Effect.map(PubSub.take(turns), (turn) => metrics.countTurn(turn)))

const addMesh = (now: Series, { decisions, facts }: VerbSource): void => {
  const tally = tallyOf(decisions)
  for (const { bucket, count, state } of factCounts(facts, tally)) {
    now.add("mesh_provisioner_facts", count, { bucket, state })
  }
  for (const { bucket, count, state } of tally.decisions) {
    now.add("mesh_provisioner_decisions", count, { bucket, state })
  }
  now.add("mesh_provisioner_out_of_shape", sumOf(tally.outOfShape.values()))
  now.add("mesh_provisioner_conflicts", decisions.conflicts.length)
}

const sumOf = (counts: Iterable<number>): number => [...counts].reduce((sum, count) => sum + count, 0)

const addStanding = (now: Series, { connection, seat }: Standing, status: Status): void => {
  now.add("mesh_provisioner_alive", Number(status.isAlive))
  now.add("mesh_provisioner_ready", Number(status.isReady))
  for (const state of seatStates) {
    now.add("mesh_provisioner_seat", Number(status.seat === state), { state })
  }
  if (connection !== undefined) {
    now.add("mesh_provisioner_bus_connected", Number(connection.isUp))
    now.add("mesh_provisioner_bus_reconnects_total", connection.reconnects)
  }
  now.add("mesh_provisioner_buckets", status.missing.length, { state: "missing" })
  if (seat._tag === "Held" && status.health !== undefined) {
    addHealth(now, status.health)
  }
}

const addHealth = (now: Series, { known, lost, read, state: stateNow, unwritten }: Health): void => {
  for (const state of Object.keys(healthStates)) {
    now.add("mesh_provisioner_health", Number(stateNow === state), { state })
  }
  now.add("mesh_provisioner_buckets", read, { state: "read" })
  now.add("mesh_provisioner_buckets", known - read, { state: "unread" })
  now.add("mesh_provisioner_buckets", lost.length, { state: "lost" })
  for (const bucket of writtenBuckets) {
    for (const how of Object.keys(putOffHows)) {
      const found = unwritten.find((one) => one.bucket === bucket && one.how === how)
      now.add("mesh_provisioner_unwritten", found?.count ?? 0, { bucket, how })
    }
  }
}

const putOffHows: { readonly [How in PutOffHow]: true } = {
  refused: true,
  "too-large": true,
  full: true,
  overtaken: true
}

const healthStates: { readonly [State in Health["state"]]: true } = {
  loading: true,
  missing: true,
  lost: true,
  live: true
}

const outcomes: { readonly [Outcome in WriteOutcome]: true } = {
  written: true,
  same: true,
  refused: true,
  full: true,
  overtaken: true,
  stopped: true
}

const writtenBuckets = [
  bucketName.registry,
  bucketName.provisions,
  bucketName.asks,
  bucketName.plans,
  bucketName.answers
]

// --- series ------------------------------------------------------------------------------------------------------

type Labels = { readonly [label: string]: string | undefined }

/** Series of metrics, by name and labels, kept apart from every other. */
class Series {
  readonly #context = Context.make(Metric.MetricRegistry, new Map())

  /** Takes in a number: what a counter grows by, a gauge is, or a histogram is told. A label that is none is left out. */
  add(name: MetricName, value: number, labels: Labels = {}): void {
    metricOf(name, labels).updateUnsafe(value, this.#context)
  }

  /** Shows a metric that was told nothing yet. */
  begin(name: MetricName): void {
    metricOf(name, {}).valueUnsafe(this.#context)
  }

  /** All of them, as Prometheus reads them. */
  get text(): string {
    return PrometheusMetrics.formatUnsafe(this.#context)
  }
}

const metricOf = (name: MetricName, labels: Labels) => {
  const { help: description, kind } = metricTable[name]
  const attributes = Object.fromEntries(
    Object.entries(labels).flatMap(([label, value]) => value === undefined ? [] : [[label, value]])
  )
  switch (kind) {
    case "counter":
      return Metric.counter(name, { description, attributes, incremental: true })
    case "gauge":
      return Metric.gauge(name, { description, attributes })
    case "histogram":
      return Metric.histogram(name, { description, attributes, boundaries: secondsBounds })
  }
}

/** From what a local server takes to what is broken, in seconds. */
const secondsBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
