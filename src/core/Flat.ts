/**
 * Texts in memory. One that was put together of pieces keeps each of them until a character of it is read, which of most
 * whys never happens: it would take three times the room.
 */

/** The same text, as one piece. */
export const flat = (text: string): string => Number.isNaN(text.charCodeAt(0)) ? "" : text
