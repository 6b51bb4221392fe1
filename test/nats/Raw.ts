/**
 * Bytes sent to a server as they are: what no client would send.
 */
import { once } from "node:events"
import { createConnection } from "node:net"
import type { NatsServer } from "./Server.ts"

/** Sends bytes, and waits until the server has read them. */
export const sendRaw = async ({ port }: Pick<NatsServer, "port">, ...parts: ReadonlyArray<string | Uint8Array>) => {
  const socket = createConnection(port, "127.0.0.1")
  socket.write(`CONNECT {"verbose":false,"headers":true}\r\n`)
  for (const part of parts) {
    socket.write(part)
  }
  socket.write("PING\r\n")
  let heard = ""
  while (!heard.includes("PONG")) {
    const [data]: Array<Buffer> = await once(socket, "data")
    heard += data?.toString("latin1")
  }
  socket.destroy()
}

/** A message with headers that are written out as they are, one a line. */
export const messageWithHeaders = (subject: string, headers: ReadonlyArray<string>, value: string): string => {
  const head = `NATS/1.0\r\n${headers.join("\r\n")}\r\n\r\n`
  const headBytes = Buffer.byteLength(head)
  return `HPUB ${subject} ${headBytes} ${headBytes + Buffer.byteLength(value)}\r\n${head}${value}\r\n`
}
