/**
 * What JetStream tells of streams that are made, changed and deleted: so that a change of the buckets is known at once.
 * It is a hint alone: whoever is told looks for himself, and looks from time to time anyway, for an account may not hear
 * it, and it can be lost.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { Connection } from "./Connection.ts"
import { bucketOf } from "./JetStream.ts"

/** Who is to be told. */
export class Advisories {
  readonly #alarms = new Map<Queue.Queue<void>, string | undefined>()

  private constructor() {}

  /** Listens, until the scope closes. */
  static readonly make = (connection: Connection): Effect.Effect<Advisories, never, Scope.Scope> =>
    Effect.suspend(() => {
      const advisories = new Advisories()
      return Effect.as(
        Effect.acquireRelease(
          Effect.sync(() => {
            const stop = connection.listen((news) => news._tag === "Denied" && news.subject === subject)
            const heard = connection.client.subscribe(subject, {
              callback: (error, message) => error === null ? advisories.#hear(message.subject) : undefined
            })
            return { stop, heard }
          }),
          ({ heard, stop }) =>
            Effect.sync(() => {
              stop()
              heard.unsubscribe()
            })
        ),
        advisories
      )
    })

  /** Where it is told that something became of a bucket, or, without one, of any. What waits is told once. */
  about(bucket?: string): Effect.Effect<Queue.Dequeue<void>, never, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.tap(Queue.sliding<void>(1), (alarm) => Effect.sync(() => this.#alarms.set(alarm, bucket))),
      (alarm) => Effect.andThen(Effect.sync(() => this.#alarms.delete(alarm)), Queue.shutdown(alarm))
    )
  }

  // $JS.EVENT.ADVISORY.STREAM.<what>.<stream>
  #hear(advisory: string): void {
    const bucket = bucketOf(advisory.split(".").slice(5).join("."))
    for (const [alarm, about] of bucket === undefined ? [] : this.#alarms) {
      if (about === undefined || about === bucket) {
        Queue.offerUnsafe(alarm, undefined)
      }
    }
  }
}

const subject = "$JS.EVENT.ADVISORY.STREAM.*.*"
