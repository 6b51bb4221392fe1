/**
 * Traces and logs by OTLP, where an operator has set a collector.
 *
 * A collector that does not answer costs nothing and is said once: what would have been sent is dropped, and now and then
 * it is tried again. Nothing that is sent holds a fact's value: of an error its kind is sent, and never its words.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpLogger from "effect/observability/OtlpLogger"
import * as OtlpResource from "effect/observability/OtlpResource"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Redacted from "effect/Redacted"
import * as Tracer from "effect/Tracer"
import { Collector } from "./Collector.ts"
import { type Failure, usage } from "./Failure.ts"
import { faultsOf, messageOf } from "./Log.ts"

/** Where traces and logs are sent. */
export interface Otlp {
  /** The collector, without what each signal adds to it (`/v1/traces`, `/v1/logs`). */
  readonly url: string
  /** What each request carries, such as a token. */
  readonly headers: Redacted.Redacted<{ readonly [name: string]: string }>
}

/** The variables of the environment, by their names. */
type Environment = { readonly [name: string]: string | undefined }

/** Where traces and logs are sent, by the collector's URL, and what each request carries, by the environment. */
export const readOtlp = Effect.fnUntraced(function*(
  given: string,
  environment: Environment = process.env
): Effect.fn.Return<Otlp, Failure> {
  const url = URL.parse(given)
  if (
    url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "" ||
    url.search !== "" ||
    url.hash !== ""
  ) {
    return yield* usage(
      "--otlp takes the URL of a collector, http://HOST:PORT, without a user or password: " +
        "what it asks for is told by OTEL_EXPORTER_OTLP_HEADERS."
    )
  }
  yield* Effect.catchDefect(
    OtlpResource.fromConfig({ serviceName }),
    () => usage("OTEL_RESOURCE_ATTRIBUTES is not written as it should be: name=value,name=value, percent-encoded.")
  )
  const headers = readHeaders(environment["OTEL_EXPORTER_OTLP_HEADERS"] ?? "")
  return headers === undefined
    ? yield* usage("OTEL_EXPORTER_OTLP_HEADERS is not written as it should be: name=value,name=value, percent-encoded.")
    : { url: url.href.replace(/\/+$/, ""), headers: Redacted.make(headers) }
})

const serviceName = "mesh-provisioner"

const readHeaders = (text: string): { readonly [name: string]: string } | undefined => {
  const headers = new Map<string, string>()
  for (const part of text.split(",").map((part) => part.trim()).filter((part) => part !== "")) {
    const [, name, encoded] = /^([!#$%&'*+.^_`|~\w-]+)\s*=\s*([\x21-\x7e]*)$/.exec(part) ?? []
    const value = encoded === undefined ? undefined : decoded(encoded)
    if (name === undefined || value === undefined) {
      return undefined
    }
    headers.set(name.toLowerCase(), value)
  }
  return Object.fromEntries(headers)
}

const decoded = (text: string): string | undefined => {
  try {
    const value = decodeURIComponent(text)
    return /^[\x20-\x7e]*$/.test(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** What is sent, and by whom. */
export interface TelemetryOptions {
  readonly otlp: Otlp
  /** The instance, as it holds the seat. */
  readonly name: string
  readonly version: string
  /** The log as it is besides. */
  readonly logger: Logger.Logger<unknown, void>
}

/** Has everything inside traced and logged to the collector, and logged by `logger` besides. */
export const telemetry = ({ logger, name, otlp, version }: TelemetryOptions): Layer.Layer<never> =>
  Layer.effectContext(Effect.gen(function*() {
    const collector = new Collector(otlp.url, logger)
    const resource = {
      serviceName: process.env["OTEL_SERVICE_NAME"] ?? serviceName,
      serviceVersion: version,
      attributes: { "service.instance.id": name }
    }
    const options = { resource, headers: Redacted.value(otlp.headers), shutdownTimeout: "500 millis" } as const
    const client = collector.watched(yield* HttpClient.HttpClient)
    const [tracer, otlpLogger] = yield* Effect.all([
      OtlpTracer.make({ ...options, url: `${otlp.url}/v1/traces` }),
      OtlpLogger.make({ ...options, url: `${otlp.url}/v1/logs`, excludeLogSpans: true })
    ]).pipe(Effect.provideService(HttpClient.HttpClient, client))
    return Context.make(Tracer.Tracer, wordlessTracer(tracer, collector)).pipe(
      Context.add(Logger.CurrentLoggers, new Set([logger, wordlessLogger(otlpLogger, collector)]))
    )
  })).pipe(Layer.provide([OtlpExporter.layerFlusher, OtlpSerialization.layerJson, FetchHttpClient.layer]))

const wordlessTracer = (tracer: Tracer.Tracer, collector: Collector): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      if (!collector.takes(Number(options.startTime / 1_000_000n))) {
        return new Tracer.NativeSpan(options)
      }
      const span = tracer.span(options)
      const end = span.end.bind(span)
      span.end = (endTime, exit) =>
        end(endTime, Exit.isFailure(exit) ? Exit.failCause(wordless(exit.cause)) : Exit.void)
      return span
    }
  })

const wordlessLogger = (
  logger: Logger.Logger<unknown, void>,
  collector: Collector
): Logger.Logger<unknown, void> =>
  Logger.make((logged) => {
    if (LogLevel.isGreaterThanOrEqualTo(logged.logLevel, "Info") && collector.takes(logged.date.getTime())) {
      logger.log({ ...logged, message: messageOf(logged), cause: wordless(logged.cause) })
    }
  })

/** The same cause, of whose errors only the kind is left, and where in the code they were. */
const wordless = (cause: Cause.Cause<unknown>): Cause.Cause<never> =>
  cause.reasons.every(Cause.isInterruptReason)
    ? Cause.fromReasons(cause.reasons.filter(Cause.isInterruptReason))
    : Cause.fromReasons(
      faultsOf(cause).map(({ at, name }) => {
        const error = new Error(name)
        error.name = name
        error.stack = [name, ...at.map((frame) => `    ${frame}`)].join("\n")
        return Cause.makeDieReason(error)
      })
    )
