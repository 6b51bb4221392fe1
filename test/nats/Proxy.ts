/**
 * A way to a server that goes wrong on purpose: it loses single messages, or carries nothing at all while its connections
 * stand.
 */
import { Effect, type Scope } from "effect"
import { createConnection, createServer, type Socket } from "node:net"
import type { NatsServer } from "./Server.ts"

/** A way to a server. */
export interface Proxy {
  readonly url: string
  /** Loses the next message to a client of which the subject begins so. */
  readonly loseNext: (subject: string) => void
  /** Loses every message to a client of which the subject begins so. */
  readonly loseAll: (subject: string) => void
  /**
   * Loses all that a client sends after so many messages of subjects that match. The promise is kept when they have been
   * carried.
   */
  readonly loseAllAfter: (subject: RegExp, count: number) => Promise<void>
  /** How many messages of subjects that match a client sent, and were carried. */
  readonly carried: (subject: RegExp) => number
  /** Carries nothing, in either direction, until it is let through again: then all that waited arrives. */
  readonly holdUp: () => void
  readonly letThrough: () => void
  /** Holds up what clients send, and goes on carrying what they are sent. */
  readonly holdUpSent: () => void
  /** From now on everything takes so long, each way. */
  readonly slowDown: (millis: number) => void
  /** Ends every connection. */
  readonly cut: () => void
}

/** A way to a server, until the scope closes. */
export const proxy = (server: Pick<NatsServer, "port">): Effect.Effect<Proxy, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => listen(server.port)),
      ({ close }) => Effect.sync(close)
    ),
    ({ proxy }) => proxy
  )

const listen = async (serverPort: number): Promise<{ readonly proxy: Proxy; readonly close: () => void }> => {
  const sockets = new Set<Socket>()
  const lost: Array<string> = []
  const never: Array<string> = []
  const sentSubjects: Array<string> = []
  const end: { subject: RegExp; left: number; reached: () => void } = {
    subject: /(?!)/,
    left: 1,
    reached: () => undefined
  }
  const clients = new Set<Socket>()
  const slow = { millis: 0 }
  const pass = (to: Socket, data: Uint8Array) => {
    if (slow.millis === 0) {
      to.write(data)
    } else {
      setTimeout(() => to.write(data), slow.millis)
    }
  }
  const send = (upstream: Socket, frame: Buffer) => {
    if (end.left === 0) {
      return
    }
    pass(upstream, frame)
    const subject = subjectOf(frame)
    if (subject !== "") {
      sentSubjects.push(subject)
    }
    if (end.subject.test(subject) && (end.left -= 1) === 0) {
      end.reached()
    }
  }
  const carry = (client: Socket) => {
    const upstream = createConnection(serverPort, "127.0.0.1")
    let rest = Buffer.alloc(0)
    upstream.on("data", (data) => {
      const { frames, left } = framesOf(Buffer.concat([rest, data]))
      rest = left
      for (const frame of frames) {
        if (!isLost(frame, lost, never)) {
          pass(client, frame)
        }
      }
    })
    let sentRest = Buffer.alloc(0)
    client.on("data", (data) => {
      const { frames, left } = framesOf(Buffer.concat([sentRest, data]))
      sentRest = left
      for (const frame of frames) {
        send(upstream, frame)
      }
    })
    clients.add(client)
    client.on("close", () => clients.delete(client))
    for (const [one, other] of [[client, upstream], [upstream, client]] as const) {
      sockets.add(one)
      one.setNoDelay(true)
      one.on("error", () => other.destroy())
      one.on("close", () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  }
  const listener = createServer(carry)
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve))
  const address = listener.address()
  const port = typeof address === "object" ? address?.port ?? 0 : 0
  const each = (act: (socket: Socket) => void) => () => {
    for (const socket of sockets) {
      act(socket)
    }
  }
  const cut = each((socket) => socket.destroy())
  return {
    proxy: {
      url: `nats://127.0.0.1:${port}`,
      loseNext: (subject) => lost.push(subject),
      loseAll: (subject) => never.push(subject),
      loseAllAfter: (subject, count) =>
        new Promise((reached) => {
          Object.assign(end, { subject, left: count, reached })
        }),
      carried: (subject) => sentSubjects.filter((sent) => subject.test(sent)).length,
      holdUp: each((socket) => socket.pause()),
      letThrough: each((socket) => socket.resume()),
      holdUpSent: () => {
        for (const client of clients) {
          client.pause()
        }
      },
      slowDown: (millis) => {
        slow.millis = millis
      },
      cut
    },
    close: () => {
      listener.close()
      cut()
    }
  }
}

/** What is sent, cut where its messages end; and the beginning of one that has not come to its end. */
const framesOf = (data: Buffer): { readonly frames: ReadonlyArray<Buffer>; readonly left: Buffer<ArrayBuffer> } => {
  const frames: Array<Buffer> = []
  let at = 0
  for (let end = endOf(data, at); end !== undefined; end = endOf(data, at)) {
    frames.push(data.subarray(at, end))
    at = end
  }
  return { frames, left: Buffer.from(data.subarray(at)) }
}

const endOf = (data: Buffer, at: number): number | undefined => {
  const lineEnd = data.indexOf("\r\n", at)
  if (lineEnd === -1) {
    return undefined
  }
  const line = data.toString("latin1", at, lineEnd)
  const end = lineEnd + 2 + (/^H?(?:MSG|PUB) /.test(line) ? Number(line.slice(line.lastIndexOf(" ") + 1)) + 2 : 0)
  return end <= data.length ? end : undefined
}

/** The subject of a message that a client sends; none of what else it sends. */
const subjectOf = (frame: Buffer): string => {
  const [, subject = ""] = /^H?PUB (\S+) /.exec(frame.toString("latin1", 0, 4_096)) ?? []
  return subject
}

const isLost = (frame: Buffer, lost: Array<string>, never: ReadonlyArray<string>): boolean => {
  const [, subject = ""] = /^H?MSG (\S+) /.exec(frame.toString("latin1", 0, 4_096)) ?? []
  if (never.some((beginning) => subject.startsWith(beginning))) {
    return true
  }
  const index = subject === "" ? -1 : lost.findIndex((beginning) => subject.startsWith(beginning))
  if (index !== -1) {
    lost.splice(index, 1)
  }
  return index !== -1
}
