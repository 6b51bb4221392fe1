/**
 * Looks at the buckets that the mesh needs, and makes them as they should be where that is asked for: the half of `setup`
 * that acts.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { bucketName } from "../../core/BucketName.ts"
import { type BucketOptions, type BucketPlan, planBucket } from "./BucketPlan.ts"
import { isBucketName, type JetStream } from "./JetStream.ts"
import { apiCode, sayable, type Trouble } from "./NatsErrors.ts"
import { seatBucket } from "./SeatBucket.ts"

/** Which buckets are looked at, and what of them is the operator's to choose. */
export interface SetupOptions extends BucketOptions {
  /** Default: all that protocol §3 to §7 name, and that of the seat. */
  readonly buckets?: Iterable<string>
}

/** The buckets that every mesh has. */
export const standingBuckets: ReadonlyArray<string> = [...Object.values(bucketName), seatBucket]

/**
 * A bucket that could not be looked at, made or changed. `detail` is what the server said, where it said something.
 *
 * @example
 * ```ts
 * import { NatsSetupError } from "mesh-provisioner/adapters/nats"
 *
 * new NatsSetupError({ bucket: "mesh-host_haves", doing: "make", why: "refused" }).message
 * // "Bucket mesh-host_haves was not made: this account may not. Use the account that runs the mesh's buckets."
 * ```
 */
export class NatsSetupError extends Schema.TaggedError<NatsSetupError>("mesh-provisioner/adapters/nats/NatsSetupError")(
  "NatsSetupError",
  {
    bucket: Schema.String,
    doing: Schema.Literals(["look", "make", "change"]),
    why: Schema.Literals(["name", "refused", "unreachable", "said"]),
    detail: Schema.optionalKey(Schema.String)
  }
) {
  override get message(): string {
    return `Bucket ${sayable(this.bucket)} was not ${done[this.doing]}: ${sentences[this.why](this.detail ?? "")}`
  }
}

const done = { look: "looked at", make: "made", change: "changed" } as const

const sentences = {
  name: () => "no bucket is named so. A name has neither spaces nor any of . * > / \\.",
  refused: () => "this account may not. Use the account that runs the mesh's buckets.",
  unreachable: () => "the server did not answer. Try again when it does.",
  said: (detail: string) => `the server says "${detail}". Mend that, and try again.`
} as const

/** What is to be done with each bucket. */
export const planBuckets = (
  jetStream: JetStream,
  { buckets = standingBuckets, ...options }: SetupOptions = {}
): Effect.Effect<ReadonlyArray<BucketPlan>, NatsSetupError> =>
  Effect.forEach(buckets, (bucket) => {
    if (!isBucketName(bucket)) {
      return Effect.fail(new NatsSetupError({ bucket, doing: "look", why: "name" }))
    }
    return jetStream.info(bucket).pipe(
      Effect.map(({ config }) => planBucket(bucket, config, options)),
      Effect.catchIf(isMissing, () => Effect.succeed(planBucket(bucket, undefined, options))),
      Effect.mapError((trouble) => setupError(bucket, "look", trouble))
    )
  }, { concurrency: 8 })

const isMissing = (trouble: Trouble): boolean => trouble._tag === "Api" && trouble.code === apiCode.noStream

/**
 * Does what is planned, bucket after bucket. What the server does not let be changed stays as it is: what is planned anew
 * says so.
 */
export const applyPlans = (
  jetStream: JetStream,
  plans: ReadonlyArray<BucketPlan>
): Effect.Effect<void, NatsSetupError> =>
  Effect.forEach(plans, ({ action, bucket, config, differences }) => {
    if (action === "make") {
      return Effect.mapError(jetStream.makeStream(config), (trouble) => setupError(bucket, "make", trouble))
    }
    return differences.some(({ isChangeable }) => isChangeable)
      ? Effect.mapError(jetStream.changeStream(config), (trouble) => setupError(bucket, "change", trouble))
      : Effect.void
  }, { discard: true })

const setupError = (bucket: string, doing: NatsSetupError["doing"], trouble: Trouble): NatsSetupError => {
  switch (trouble._tag) {
    case "Denied":
      return new NatsSetupError({ bucket, doing, why: "refused" })
    case "Api":
      return new NatsSetupError({ bucket, doing, why: "said", detail: sayable(trouble.description) })
    default:
      return new NatsSetupError({ bucket, doing, why: "unreachable" })
  }
}
