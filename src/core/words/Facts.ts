/**
 * What is said of facts out of shape and of files that are no snapshot (protocol §2, §3). A sentence names keys, paths
 * and what was expected, never what a stranger wrote there.
 */
import type { KeyShape, Part } from "../Key.ts"
import { keyBytesMax, moduleNameCharactersMax } from "../Limits.ts"
import type { Fault } from "../Shape.ts"
import { say } from "./Text.ts"

const partName: { readonly [P in Part | "local"]: string } = {
  node: "node",
  module: "module",
  kind: "kind",
  name: "name",
  seat: "seat",
  collection: "collection",
  contributor: "contributor",
  providerNode: "provider node",
  providerModule: "provider module",
  provision: "provision",
  local: "local"
}

/** A key's shape as protocol §3 writes it. */
const sayShape = ({ local, parts }: KeyShape): string =>
  parts.map((part) => `<${partName[part]}>`).join(".") + (local ? "[.<local>]" : "")

/** What is wrong with a key (protocol §2). */
export const keyWhy = {
  tooLong: () => `the key is over ${keyBytesMax} bytes`,
  tokens: (count: number, shape: KeyShape) =>
    `the key has ${count} ${count === 1 ? "token" : "tokens"}; this bucket's keys are ${sayShape(shape)}`,
  token: (position: number, part: Part | "local") =>
    `token ${position} of the key (${partName[part]}) does not read back: ` +
    `letters, digits, _ - and / stand for themselves, ` +
    `every other character is = and two upper-case hex digits for each byte of its UTF-8`,
  module: (position: number, part: Part) =>
    `token ${position} of the key (${partName[part]}) is no module's name: ` +
    `1 to ${moduleNameCharactersMax} of A-Z a-z 0-9 _ -`
}

/** What is wrong with a value's text (protocol §3). */
export const valueWhy = {
  notUtf8: () => "the value is not UTF-8",
  byteOrderMark: () => "the value begins with a byte order mark; write it without",
  notJson: () => "the value is not JSON"
}

/** What is wrong with a value, by the paths of what is wrong in it. */
export const faultsWhy = (faults: ReadonlyArray<Fault>, more: number): string =>
  faults.map(sayFault).join("; ") + (more > 0 ? `; and ${more} more` : "")

const sayFault = ({ expected, path }: Fault): string =>
  path.length === 0 ? expected : `${sayPath(path)}${expected === "is missing" ? " " : ": "}${expected}`

/** A path in a value, as a sentence says it: a name with anything but letters, digits, _ and - in it is quoted. */
const sayPath = (path: ReadonlyArray<string>): string =>
  path.map((name) => /^[\w-]+$/.test(name) ? say(name) : JSON.stringify(say(name))).join(".")

/** What a part of a definition is expected to be, where its schema alone cannot say it (protocol §3). */
export const definitionExpects = {
  name: "expected a name: text that is not empty and has no lone surrogate",
  vaultsName: "expected another name: secret and credential are the vault's, no definition provides them",
  secretOfNone: "expected no secret field, as the provision makes nothing per consumer (credential is none)",
  kind: "expected a kind: a name that is not _epoch and fits a key",
  oneAnswer: "expected either bucket and key or seat and verb",
  ownBucket: (module: string) =>
    `expected a bucket of the module's own, ${module}_…, that is none of the mesh's buckets`,
  pattern: "expected tokens joined by . of which each is <node>, <module>, <kind>, <name> or itself"
}

/** What a need is expected to be, where its schema alone cannot say it (protocol §3). */
export const needExpects = {
  notTheVaults: "expected a provision other than secret and credential, which are needs of the vault, not bound ones"
}

/** Why a text is no snapshot. */
export const snapshotWhy = {
  notJson: () => "this is not JSON",
  noBuckets: () => "expected an object with \"buckets\", an object of buckets",
  rawNoObject: () => "expected \"raw\" to be an object of buckets",
  bucketNoObject: (bucket: string) => `expected bucket ${say(bucket)} to be an object of keys`,
  notBase64: (bucket: string, key: string) => `expected base64 text at key ${say(key)} of raw bucket ${say(bucket)}`
}
