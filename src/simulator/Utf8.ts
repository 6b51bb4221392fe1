/**
 * Texts as the bytes of the bus: many are written, by one encoder.
 */
const encoder = new TextEncoder()

/** The UTF-8 bytes of a text. */
export const writeUtf8 = (text: string): Uint8Array => encoder.encode(text)
