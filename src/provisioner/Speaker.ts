/**
 * Says how the provisioner stands: to whoever watches it whenever it changes, and in the log once for each trouble.
 */
import * as Effect from "effect/Effect"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { type Health, troublesOf } from "./Health.ts"

/**
 * Keeps the health that is shown, and logs: a trouble when it begins, once however long it lasts; and that all is well
 * where it was not said since.
 */
export const speaker = (shown: SubscriptionRef.SubscriptionRef<Health>): (health: Health) => Effect.Effect<void> => {
  let told = ""
  let troubles: ReadonlySet<string> = new Set()
  let isSaidLive = false
  return (health) => {
    const tells = JSON.stringify(health)
    if (tells === told) {
      return Effect.void
    }
    told = tells
    const now = troublesOf(health)
    const isWorse = [...now].some((trouble) => !troubles.has(trouble))
    const isWellAgain = health.state === "live" && !isSaidLive
    troubles = now
    isSaidLive = !isWorse && (isSaidLive || isWellAgain)
    const line = isWorse
      ? Effect.logWarning(health.sentence)
      : isWellAgain
      ? Effect.logInfo(health.sentence)
      : Effect.void
    return Effect.andThen(SubscriptionRef.set(shown, health), Effect.annotateLogs(line, { health: health.state }))
  }
}
