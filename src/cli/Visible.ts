/**
 * Strangers' words on a terminal: what would steer it, hide in it or turn the reading order around is written out, so
 * that a name is always seen for what it is.
 */

// Controls (C0, DEL, C1), formats (every bidi control, zero-width and tag characters), lone surrogates, line separators.
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * A text for one line of a person's terminal: each character that is not seen as itself is written as its escape.
 *
 * @example
 * ```ts
 * visible("n1\u001b[2J") // "n1\\u001b[2J"
 * ```
 */
export const visible = (text: string): string => isPlain(text) ? text : text.replace(unseen, escape)

// Nearly every text is so, and this is found out sooner than what else is in it.
const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

/**
 * JSON text with the same characters written as JSON escapes: the same value, and harmless on a terminal. `JSON.stringify`
 * has escaped the rest of them; the line breaks between members stay.
 */
export const visibleJson = (json: string): string =>
  isPlain(json) ? json : json.replace(unseenInJson, (character) => utf16(character))

const unseenInJson = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu

const short = new Map([["\n", "\\n"], ["\r", "\\r"], ["\t", "\\t"]])

const escape = (character: string): string => short.get(character) ?? utf16(character)

const utf16 = (character: string): string =>
  character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
