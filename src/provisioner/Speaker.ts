/**
 * Says how the provisioner stands: to whoever watches it whenever it changes, and in the log once for each trouble.
 */
import * as Effect from "effect/Effect"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { type Health, passedOverWords, silence, troublesOf } from "./Health.ts"

/**
 * Keeps the health that is shown, and logs: a trouble when it begins, once however long it lasts; and that all is well
 * where it was not said since; and once what is passed over.
 */
export const speaker = (shown: SubscriptionRef.SubscriptionRef<Health>): (health: Health) => Effect.Effect<void> => {
  let told = ""
  let troubles: ReadonlySet<string> = new Set()
  let passedOver: ReadonlyArray<string> = []
  let isSaidLive = false
  return (health) => {
    const tells = JSON.stringify(health)
    if (tells === told) {
      return Effect.void
    }
    told = tells
    const now = withSilence(troublesOf(health), troubles)
    const newlyPassedOver = health.passedOver.filter((bucket) => !passedOver.includes(bucket))
    passedOver = health.passedOver
    const isWorse = [...now].some((trouble) => !troubles.has(trouble))
    const isWellAgain = health.state === "live" && !isSaidLive
    troubles = now
    isSaidLive = !isWorse && (isSaidLive || isWellAgain)
    const line = isWorse
      ? Effect.logWarning(health.sentence)
      : isWellAgain
      ? Effect.logInfo(health.sentence)
      : Effect.void
    const lines = Effect.andThen(
      Effect.forEach(newlyPassedOver, (bucket) => Effect.logWarning(passedOverWords(bucket)), { discard: true }),
      line
    )
    return Effect.andThen(SubscriptionRef.set(shown, health), Effect.annotateLogs(lines, { health: health.state }))
  }
}

/** A bus that comes back does so bucket by bucket: that the last of them does not answer yet is nothing new. */
const withSilence = (now: ReadonlySet<string>, before: ReadonlySet<string>): ReadonlySet<string> =>
  before.has(silence())
    ? new Set([...now].map((trouble) => trouble.startsWith(silence()) ? silence() : trouble))
    : now
