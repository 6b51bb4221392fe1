/**
 * The collector that traces and logs are sent to, as far as it answers.
 */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Logger from "effect/Logger"

/** Whether a collector answers: said once when it does not, and once when it does again. */
export class Collector {
  readonly #url: string
  readonly #logger: Logger.Logger<unknown, void>
  #isFailing = false
  #triedAtMillis = 0

  constructor(url: string, logger: Logger.Logger<unknown, void>) {
    this.#url = url
    this.#logger = logger
  }

  /**
   * Whether what happened at this time, in milliseconds, is to be sent. While the collector does not answer it is dropped
   * at once, and now and then one is let through to try it.
   */
  takes(atMillis: number): boolean {
    if (!this.#isFailing) {
      return true
    }
    const isDue = Math.abs(atMillis - this.#triedAtMillis) >= tryEveryMillis
    this.#triedAtMillis = isDue ? atMillis : this.#triedAtMillis
    return isDue
  }

  /** The client, of which each answer is noted, and none is waited for long. */
  watched(client: HttpClient.HttpClient): HttpClient.HttpClient {
    return HttpClient.transform(client, (response, request) =>
      response.pipe(
        Effect.timeoutOrElse({
          duration: "3 seconds",
          orElse: () =>
            Effect.fail(
              new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })
            )
        }),
        Effect.tap(({ status }) => this.#note(status < 400 ? undefined : `answers ${status}`)),
        Effect.tapError(() => this.#note("does not answer"))
      ))
  }

  #note(trouble: string | undefined): Effect.Effect<void> {
    return Effect.suspend(() => {
      const isNews = this.#isFailing !== (trouble !== undefined)
      this.#isFailing = trouble !== undefined
      const line = trouble === undefined
        ? Effect.logInfo(`The collector at ${this.#url} answers again.`)
        : Effect.logWarning(
          `The collector at ${this.#url} ${trouble}. Traces and logs are not sent there until it does; nothing waits for it.`
        )
      return isNews ? Effect.provideService(line, Logger.CurrentLoggers, new Set([this.#logger])) : Effect.void
    })
  }
}

/** How often a collector that does not answer is tried. */
const tryEveryMillis = 10_000
