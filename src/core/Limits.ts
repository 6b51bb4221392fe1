/**
 * Every bound of the protocol and of this core, named, with its unit last.
 */

/** A key over this many bytes is out of shape (protocol §2). */
export const keyBytesMax = 1_024

/** A module's name has at most this many characters (protocol §2). */
export const moduleNameCharactersMax = 200

/** A value has at most this many containers inside each other (protocol §3). */
export const containersDeepMax = 64

/** Words of others that a `why` quotes are cut to this many code points (protocol §5). */
export const quoteCodePointsMax = 256

/** `failed` gives the outcome's words as they are, up to this many code points (protocol §5). */
export const failedWhyCodePointsMax = 4_096

/** A refused provision names at most this many candidates (protocol §5.2). */
export const candidatesMax = 20

/** A plan's `why` speaks of at most this many needs (protocol §7). */
export const planWhyNeedsMax = 20

/** A digest is this many lower-case hex digits (protocol §3). */
export const digestHexDigits = 32

/** A range over this many characters is out of shape: reading one must stay cheap whoever wrote it. */
export const rangeCharactersMax = 1_024

/** What is wrong with one fact is said for at most this many of its parts. */
export const faultsSaidMax = 20

/** A page of the verb has at most this many entries, and this many where the request names no limit (protocol §8). */
export const pageEntriesMax = 1_000

/** A page of the verb with earlier values has at most this many entries: each of them is asked for on its own (protocol §8). */
export const historyPageEntriesMax = 100

/** A reply of the verb has at most this many bytes where the bus sets no other bound: NATS' own default (protocol §8). */
export const replyBytesMax = 1_048_576

/** A tree of causes has at most this many steps; past it the verb says that there are more (protocol §8). */
export const explainStepsMax = 1_000

/** For circles, an explanation looks at so many waits at most; past it, a circle behind what there is no room for may not be said. */
export const explainLooksMax = 20 * explainStepsMax

/** An operator's words in an answer, and who answers, have at most this many code points (protocol §8). */
export const answerWordsCodePointsMax = 1_024

/** A request of the verb `what-if` has at most this many changes. */
export const whatIfChangesMax = 1_000

/** So many things are decided anew at most for the verb `what-if`, and as many to undo it: some 50 ms. */
export const whatIfThingsMax = 2_000

/** A request of the verb `what-if` has at most this many bytes, as it brings whole values. */
export const whatIfRequestBytesMax = 1_048_576

/** A request of a verb has at most this many bytes: several times what its longest fields come to (protocol §8). */
export const requestBytesMax = 65_536
