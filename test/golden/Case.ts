/**
 * Golden cases of the protocol, and how what was decided is held against one: what a case says nothing of is not looked at,
 * but for what is out of shape, the conflicts and the deleted answers, of which a case that names none says that there are
 * none.
 */
import { type Decisions, isJsonObject, type Json, type JsonObject, type Snapshot } from "mesh-provisioner/core"
import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { decidedBuckets } from "../../src/core/Diff.ts"

/** A golden case: what it shows in a sentence, the facts, and what is decided from them. */
export interface GoldenCase extends Snapshot {
  readonly name: string
  readonly what: string
  readonly expect: JsonObject
  /** Keys that must not be, by bucket. */
  readonly absent: JsonObject
}

/** Every golden case of a folder, by the name of its file. */
export const casesIn = (folder: string): ReadonlyArray<GoldenCase> =>
  readdirSync(folder).filter((file) => file.endsWith(".json")).sort().map((file) => {
    const { absent = {}, ...found }: Omit<GoldenCase, "name" | "absent"> & Partial<Pick<GoldenCase, "absent">> = JSON
      .parse(readFileSync(join(folder, file), "utf8"))
    return { ...found, absent, name: basename(file, ".json") }
  })

/** The parts of `expect` that are no buckets: each a whole list. */
export const listNames = ["outOfShape", "conflicts", "deletes"] as const

type ListName = typeof listNames[number]

/** What a case says of a list, in an order that does not depend on either side's; none where it names none. */
export const expectedList = ({ expect }: GoldenCase, name: ListName): ReadonlyArray<Json> => {
  const list = Object.hasOwn(expect, name) ? expect[name] : []
  return Array.isArray(list) ? inOrder(list) : []
}

/** What was decided of a list, each item with the members that a case gives of it. */
export const decidedList = (decisions: Decisions, name: ListName): ReadonlyArray<Json> => {
  switch (name) {
    case "outOfShape":
      return inOrder(decisions.outOfShape.map(({ bucket, key }) => ({ bucket, key })))
    case "conflicts":
      return inOrder(decisions.conflicts.map(({ kind, module }) => ({ kind, module })))
    case "deletes":
      return inOrder(decisions.answersToDelete)
  }
}

const inOrder = (items: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  items.toSorted((one, other) => JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)

/** Everything in which the buckets of decisions are not as a case says, a line each. */
export const faultsOf = ({ absent, expect }: GoldenCase, decisions: Decisions): ReadonlyArray<string> => {
  const decided = decidedBuckets(decisions)
  const faults: Array<string> = []
  for (const [bucket, entries] of Object.entries(expect)) {
    const values = decided.get(bucket)
    if (isListName(bucket)) {
      continue
    }
    if (values === undefined || !isJsonObject(entries)) {
      faults.push(`${bucket}: is no bucket of decisions`)
    } else if (Object.keys(entries).length === 0) {
      // A bucket of which a case names no key is one in which there is none.
      faults.push(...[...values.keys()].map((key) => `${bucket} ${key}: is there`))
    } else {
      faults.push(
        ...Object.entries(entries).flatMap(([key, fields]) =>
          faultsIn(values.get(key), fields).map((fault) => `${bucket} ${key}${fault}`)
        )
      )
    }
  }
  for (const [bucket, keys] of Object.entries(absent)) {
    for (const key of Array.isArray(keys) ? keys : []) {
      if (decided.get(bucket)?.has(String(key)) !== false) {
        faults.push(`${bucket} ${String(key)}: is there`)
      }
    }
  }
  return faults
}

const isListName = (name: string): boolean => listNames.some((list) => list === name)

/** Where a decided value is not as expected: its own members whole, those of a candidate as far as they are given. */
const faultsIn = (value: Json | undefined, expected: Json): ReadonlyArray<string> => {
  if (!isJsonObject(value) || !isJsonObject(expected)) {
    return [`: is ${text(value)}`]
  }
  return Object.entries(expected).flatMap(([name, field]) => {
    const found = Object.hasOwn(value, name) ? value[name] : undefined
    const holds = name === "candidates" ? sameCandidates(found, field) : holdsText(found, field) ?? isSame(found, field)
    return holds ? [] : [`: ${name} is ${text(found)}, not ${text(field)}`]
  })
}

/** Whether a text holds each of those that `{ "contains": […] }` lists; nothing where `expected` is not of that form. */
const holdsText = (found: Json | undefined, expected: Json): boolean | undefined => {
  const contains = isJsonObject(expected) && Object.hasOwn(expected, "contains") ? expected["contains"] : undefined
  return Array.isArray(contains)
    ? contains.every((part) => typeof part === "string" && typeof found === "string" && found.includes(part))
    : undefined
}

const sameCandidates = (found: Json | undefined, expected: Json): boolean =>
  Array.isArray(found) && Array.isArray(expected) && found.length === expected.length &&
  expected.every((candidate, index) => faultsIn(found[index], candidate).length === 0)

const isSame = (found: Json | undefined, expected: Json): boolean => text(found) === text(expected)

/** A value as text, whatever the order of its members. */
const text = (value: Json | undefined): string =>
  value === undefined ?
    "not there" :
    JSON.stringify(value, (_, inner: Json) =>
      isJsonObject(inner)
        ? Object.fromEntries(
          Object.entries(inner).sort(([one], [other]) => one < other ? -1 : 1)
        )
        : inner)
