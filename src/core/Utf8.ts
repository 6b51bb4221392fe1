/**
 * Bytes as text and back (protocol §3: a value is UTF-8 JSON without a byte order mark).
 */

/** The one web standard that the core leans on: every runtime of JavaScript has it, and it does no I/O. */
declare class TextDecoder {
  constructor(label: "utf-8", options: { readonly fatal: true; readonly ignoreBOM: true })
  decode(bytes: Uint8Array): string
}
declare class TextEncoder {
  encode(text: string): Uint8Array
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text of bytes, or `undefined` where they are not UTF-8. A byte order mark is kept, as U+FEFF. */
export const readUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

const encoder = new TextEncoder()

/** The UTF-8 bytes of a text. */
export const writeUtf8 = (text: string): Uint8Array => encoder.encode(text)
