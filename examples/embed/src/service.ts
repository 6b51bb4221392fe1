/**
 * The rule as a service: `POST /verdicts` with a snapshot gives the verdict on each plan.
 */
import { parseSnapshot } from "mesh-provisioner/core"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { verdictsOn } from "./rule.ts"

const bodyBytesMax = 16 * 1024 * 1024

/** The service, not yet listening. */
export const makeService = (productionSites: ReadonlySet<string>): Server =>
  createServer((request, response) => {
    answer(request, response, productionSites).catch(() =>
      reply(response, 500, { error: "This is a fault of the service." })
    )
  })

const answer = async (
  request: IncomingMessage,
  response: ServerResponse,
  productionSites: ReadonlySet<string>
): Promise<void> => {
  if (request.url !== "/verdicts" || request.method !== "POST") {
    return reply(response, 404, { error: "There is only POST /verdicts, with a snapshot of the mesh." })
  }
  const text = await textOf(request)
  if (text === undefined) {
    return reply(response, 413, { error: `A snapshot of more than ${bodyBytesMax} bytes is not taken.` })
  }
  const snapshot = parseSnapshot(text)
  if (snapshot._tag === "Failure") {
    const { column, line, message } = snapshot.failure
    return reply(response, 400, { error: `Line ${line}, column ${column}: ${message}.` })
  }
  reply(response, 200, { plans: Object.fromEntries(verdictsOn(snapshot.success, productionSites)) })
}

const textOf = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) {
      return undefined
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const reply = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(`${JSON.stringify(body, null, 2)}\n`)
}
