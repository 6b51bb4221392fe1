/**
 * A collector of traces and logs on a free port of the loopback, which keeps what it gets.
 */
import { Effect, type Scope } from "effect"
import { createServer, type IncomingHttpHeaders } from "node:http"

/** One request that it got. */
export interface Got {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** The collector, and all that it got so far. */
export interface Collecting {
  readonly url: string
  readonly port: number
  readonly got: ReadonlyArray<Got>
  /** What came by a path, all together. */
  readonly textOf: (path: "/v1/traces" | "/v1/logs") => string
  readonly close: () => void
}

/** Runs a collector that answers with this code, or never, until it is closed. */
export const startCollector = (code: number | "never" = 200): Promise<Collecting> => {
  const got: Array<Got> = []
  const server = createServer((request, response) => {
    let text = ""
    request.on("data", (data) => text += data.toString())
    request.on("end", () => {
      got.push({ path: request.url ?? "", headers: request.headers, text })
      if (code !== "never") {
        response.writeHead(code, { "content-type": "application/json" }).end("{}")
      }
    })
  })
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const textOf = (path: string) => got.filter((one) => one.path === path).map(({ text }) => text).join("\n")
      resolve({ url: `http://127.0.0.1:${port}`, port, got, textOf, close })
    })
  })
}

/** The same, until the scope closes. */
export const collecting = (code?: number | "never"): Effect.Effect<Collecting, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => startCollector(code)),
    ({ close }) => Effect.sync(close)
  )
