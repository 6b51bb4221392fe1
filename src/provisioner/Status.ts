/**
 * How the whole daemon stands, for whoever probes it: whether it is alive, whether it is ready, and what it lacks (protocol §9).
 */
import type { SeatState } from "../ports/Seat.ts"
import type { Health, Loss, Progress } from "./Health.ts"
import type { Unwritten } from "./PutOff.ts"
import { shown } from "./Words.ts"

/** What is known of how the daemon stands. */
export interface Standing {
  readonly seat: SeatState
  /** How the provisioner of this term stands; none while the seat is not held. */
  readonly health: Health | undefined
  /** Whether there is a connection to the bus, and how often it was made anew; none where the bus needs none. */
  readonly connection: { readonly isUp: boolean; readonly reconnects: number } | undefined
  /** For how long the provisioner has been at what it heard last; none where it waits to hear more. */
  readonly busyMillis: number | undefined
  /** Whether what takes the seat and runs the provisioner has died of a defect. */
  readonly hasEnded: boolean
}

/** The states of the seat, as programs read them. */
export const seatStates = ["looking", "missing", "unreachable", "standing-by", "held"] as const

/** How the daemon stands, as programs and people read it. */
export interface Status {
  /** Whether it runs: where it does not, it is to be started again. */
  readonly isAlive: boolean
  /** Whether it holds the seat and has loaded, or stands by. */
  readonly isReady: boolean
  readonly seat: (typeof seatStates)[number]
  /** Who holds the seat, where another does. */
  readonly holder: string | undefined
  /** Whether there is a connection to the bus. */
  readonly isConnected: boolean
  /** How the provisioner stands; none while the seat is not held. */
  readonly health: Health | undefined
  /** The buckets that are known not to be there. */
  readonly missing: ReadonlyArray<string>
  /** What is so, and what to do. */
  readonly sentence: string
}

/**
 * How the daemon stands, by what is known of it.
 *
 * @example
 * ```ts
 * const standing = { health: undefined, connection: undefined, busyMillis: undefined, hasEnded: false }
 * statusOf({ seat: { _tag: "StandingBy", holder: "n1" }, ...standing }).isReady // true
 * statusOf({ seat: { _tag: "Looking" }, ...standing }).isReady // false
 * ```
 */
export const statusOf = ({ busyMillis, connection, hasEnded, health, seat }: Standing): Status => {
  const isAlive = !hasEnded && (busyMillis ?? 0) < busyMillisMax
  const isConnected = connection?.isUp !== false
  const isDone = seat._tag === "StandingBy" || (seat._tag === "Held" && health?.state === "live")
  return {
    isAlive,
    isReady: isAlive && isConnected && isDone,
    seat: seatName[seat._tag],
    holder: seat._tag === "StandingBy" ? seat.holder : undefined,
    isConnected,
    health: seat._tag === "Held" ? health : undefined,
    missing: seat._tag === "Missing" ? seat.missing : (seat._tag === "Held" && health?.missing) || [],
    sentence: hasEnded
      ? "The provisioner has ended by a fault of its own, which the log tells: nothing is decided any more. Start it again."
      : !isAlive
      ? `The provisioner has been at one turn for ${
        Math.floor(busyMillisMax / 60_000)
      } minutes or more. Start it again.`
      : !isConnected
      ? "There is no connection to the bus. It is tried again for ever."
      : saySeat(seat, health)
  }
}

/** A turn that takes longer has come to a standstill: each write of it is answered, or given up, within seconds. */
const busyMillisMax = 5 * 60_000

const seatName: { readonly [Tag in SeatState["_tag"]]: Status["seat"] } = {
  Looking: "looking",
  Missing: "missing",
  Unreachable: "unreachable",
  StandingBy: "standing-by",
  Held: "held"
}

const saySeat = (seat: SeatState, health: Health | undefined): string => {
  switch (seat._tag) {
    case "Looking":
      return "It is being looked who holds the seat."
    case "Missing":
      return seat.sentence
    case "Unreachable":
      return "It cannot be known who holds the seat: the bus does not answer. It is asked again until it does."
    case "StandingBy":
      return `Stands by: ${shown(seat.holder)} holds the seat.`
    case "Held":
      return health?.sentence ?? "Holds the seat, and begins to read."
  }
}

/**
 * The answer to a probe, as JSON: `{ "ready", "alive", "seat", "holder"?, "connected", "state"?, "missing", "lost", "reading",
 * "unwritten", "read"?, "known"?, "sentence" }`. Of each list as much as {@link listedMax}.
 */
export const statusJson = ({ health, holder, isAlive, isConnected, isReady, missing, seat, sentence }: Status) => ({
  ready: isReady,
  alive: isAlive,
  seat,
  ...(holder === undefined ? {} : { holder: shown(holder) }),
  connected: isConnected,
  ...(health === undefined ? {} : { state: health.state }),
  missing: missing.slice(0, listedMax),
  lost: (health?.lost ?? []).slice(0, listedMax).map(lossJson),
  reading: (health?.reading ?? []).slice(0, listedMax).map(progressJson),
  unwritten: (health?.unwritten ?? []).slice(0, listedMax).map(unwrittenJson),
  ...(health === undefined ? {} : { read: health.read, known: health.known }),
  sentence
})

const lossJson = ({ bucket, code, how }: Loss) => ({
  ...(bucket === undefined ? {} : { bucket: shown(bucket) }),
  how,
  ...(code === undefined ? {} : { code })
})

const unwrittenJson = ({ bucket, count, how }: Unwritten) => ({ bucket: shown(bucket), how, keys: count })

const progressJson = ({ bucket, keys }: Progress) => ({ bucket: shown(bucket), keys })

/** The most entries of a list that are shown. */
export const listedMax = 100
