/**
 * `GET /healthz`, `/readyz` and `/metrics`, on an address of the operator's choice.
 *
 * Whoever reaches the address is a stranger: nothing but these three can be asked, each connection carries one request and
 * is bounded in time and bytes, and so are the connections in number. No answer holds anything of a fact but its bucket.
 */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { type Status, statusJson } from "../provisioner/Status.ts"
import { type Failure, failure, usage } from "./Failure.ts"

/** Where it listens. Port 0 is any that is free. */
export interface Listen {
  readonly host: string
  readonly port: number
}

/** What it answers from, asked anew for each request. */
export interface HealthSource {
  readonly listen: Listen
  readonly status: Effect.Effect<Status>
  readonly metrics: Effect.Effect<string>
}

/** Reads `HOST:PORT`, where an IPv6 address stands in brackets. */
export const readListen = (text: string): Effect.Effect<Listen, Failure> => {
  const [, bracketed, plain, digits] = /^(?:\[([0-9A-Fa-f:.%a-z]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  return host !== undefined && port <= 65_535
    ? Effect.succeed({ host, port })
    : Effect.fail(usage(
      "--listen takes HOST:PORT, an IPv6 address in brackets: 127.0.0.1:9464, [::1]:9464. Port 0 is any that is free."
    ))
}

/**
 * Answers until the scope closes, and gives where it listens. The address is logged.
 *
 * Fails where it cannot listen there.
 */
export const serveHealth = Effect.fnUntraced(function*(
  source: HealthSource
): Effect.fn.Return<Listen, Failure, Scope.Scope> {
  const run = yield* FiberSet.makeRuntime<never, void, never>()
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => createServer(serverOptions, (request, response) => void run(answer(source, request, response)))),
    closed
  )
  server.setTimeout(silentMillisMax)
  server.on("connection", fewConnections())
  const bound = yield* listening(server, source.listen)
  yield* Effect.logInfo(
    `Health and metrics: http://${hostPort(bound)}/healthz, http://${hostPort(bound)}/readyz, http://${
      hostPort(bound)
    }/metrics`
  )
  return bound
})

/** A request that is not there in five seconds, or larger than any of ours, is none. */
const serverOptions = {
  maxHeaderSize: 8_192,
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  connectionsCheckingInterval: 1_000
} as const

const connectionsMax = 64
const silentMillisMax = 5_000

/** How long an answer may take to be read. */
const answerMillisMax = 10_000

/** Where there are too many connections the oldest goes: whoever comes new is heard, however many others say nothing. */
const fewConnections = (): (socket: Socket) => void => {
  const open = new Set<Socket>()
  return (socket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
    const [oldest] = open
    if (open.size > connectionsMax) {
      oldest?.destroy()
    }
  }
}

const closed = (server: Server): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

const listening = (server: Server, { host, port }: Listen): Effect.Effect<Listen, Failure> =>
  Effect.callback<Listen, Failure>((resume) => {
    server.once(
      "error",
      (error: NodeJS.ErrnoException) => resume(Effect.fail(cannotListen({ host, port }, error.code)))
    )
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address()
      // An error of one connection, or of taking one in, ends no other.
      server.removeAllListeners("error").on("error", () => undefined)
      resume(Effect.succeed({ host, port: typeof address === "object" && address !== null ? address.port : port }))
    })
  })

const cannotListen = (listen: Listen, code: string | undefined): Failure => {
  const where = hostPort(listen)
  switch (code) {
    case "EADDRINUSE":
      return failure(`Another program listens at ${where}. Give --listen another port, or end that program.`)
    case "EACCES":
      return failure(`This user may not listen at ${where}. Give --listen a port above 1023.`)
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return failure(`This machine has no address ${listen.host}. Give --listen one that it has, or 0.0.0.0 for all.`)
    default:
      return failure(`It cannot be listened at ${where} (${code ?? "unknown"}). Give --listen another address.`)
  }
}

const hostPort = ({ host, port }: Listen): string => `${host.includes(":") ? `[${host}]` : host}:${port}`

// --- answers -----------------------------------------------------------------------------------------------------

interface Answer {
  readonly code: number
  readonly type: string
  readonly body: string
  readonly headers?: { readonly [name: string]: string }
}

const answer = (source: HealthSource, request: IncomingMessage, response: ServerResponse): Effect.Effect<void> =>
  Effect.suspend(() => answerOf(source, request)).pipe(
    Effect.catchCause((cause) => Effect.as(Effect.logError("A probe could not be answered.", cause), broken)),
    Effect.map((answer) => send(answer, request, response))
  )

const answerOf = ({ metrics, status }: HealthSource, { method, url = "" }: IncomingMessage): Effect.Effect<Answer> => {
  const [path] = url.split("?")
  if (path !== "/healthz" && path !== "/readyz" && path !== "/metrics") {
    return Effect.succeed(text(404, "There are /healthz, /readyz and /metrics.\n"))
  }
  if (method !== "GET" && method !== "HEAD") {
    return Effect.succeed({ ...text(405, "Ask by GET or HEAD.\n"), headers: { allow: "GET, HEAD" } })
  }
  return path === "/metrics"
    ? Effect.map(metrics, (body): Answer => ({ code: 200, type: prometheusType, body }))
    : Effect.map(status, (status): Answer => {
      const isWell = path === "/healthz" ? status.isAlive : status.isReady
      return { code: isWell ? 200 : 503, type: "application/json", body: `${JSON.stringify(statusJson(status))}\n` }
    })
}

const prometheusType = "text/plain; version=0.0.4; charset=utf-8"

const text = (code: number, body: string): Answer => ({ code, type: "text/plain; charset=utf-8", body })

const broken = text(500, "This could not be answered.\n")

const send = ({ body, code, headers, type }: Answer, request: IncomingMessage, response: ServerResponse): void => {
  const late = setTimeout(() => response.destroy(), answerMillisMax)
  response.once("close", () => clearTimeout(late))
  response.writeHead(code, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    connection: "close",
    ...headers
  })
  response.end(request.method === "HEAD" ? undefined : body)
}
