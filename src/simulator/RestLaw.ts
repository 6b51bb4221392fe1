/**
 * The laws of a simulated mesh at rest: the faults have stopped, and long enough ago.
 */
import { epochKey } from "../core/Bucket.ts"
import { boundBucket, bucketName } from "../core/BucketName.ts"
import { decide } from "../core/Decide.ts"
import type { Decisions } from "../core/Decision.ts"
import { diff, type Stored } from "../core/Diff.ts"
import { Facts } from "../core/Facts.ts"
import { isJsonObject } from "../core/Json.ts"
import { askKeyOf, readAskKey } from "./AskLaw.ts"
import { entryIn, Knowledge, makersIn, nameOf } from "./Knowledge.ts"
import type { Laws } from "./Laws.ts"
import { lawOfProvision, wrongProvision } from "./ProvisionLaw.ts"
import type { World } from "./World.ts"

/** What a bus holds: the bytes of each key, by bucket. */
export type Held = ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>

/** Judges a bus at rest beside the laws: gives what is wrong, if anything. */
export type Judge = (held: Held) => string | undefined

/** What the bus holds now. */
const heldBy = ({ bus }: World): Held =>
  new Map([...bus.buckets].map(([name, bucket]) => [
    name,
    new Map(bucket.puts().flatMap((put) => put._tag === "Put" ? [[put.key, put.value] as const] : []))
  ]))

/** Holds a mesh at rest to its laws. */
export const checkRest = (world: World, laws: Laws, judge: Judge | undefined): void => {
  const { provisions } = checkDecided(world, laws)
  const held = heldBy(world)
  const jsonOf = (bytes: Uint8Array) => world.bus.jsonOf(bytes)
  const wrong = judge?.(held)
  if (wrong !== undefined) {
    laws.broken("as decided", wrong)
  }
  const known = new Knowledge(jsonOf)
  for (const [bucket, values] of held) {
    known.take({ bucket, isThere: true })
    for (const [key, value] of values) {
      known.take({ bucket, key, value })
    }
  }
  checkMade(world, known, laws)
  checkAsks(world, known, laws)
  checkProvisions(known, provisions, laws)
  checkAnswers(known, laws)
}

/** The bus holds what the facts on it decide, which is given. */
export const checkDecided = (world: World, laws: Laws): Decisions => {
  const held = heldBy(world)
  const facts = new Facts()
  for (const [bucket, values] of held) {
    if (!bucketsOfDecisions.has(bucket)) {
      facts.openBucket(bucket)
      for (const [key, value] of values) {
        facts.apply({ bucket, key, value })
      }
    }
  }
  const stored: Stored = new Map(
    [...held].filter(([bucket]) => bucketsOfDecisions.has(bucket)).map(([bucket, values]) => [
      bucket,
      new Map([...values].map(([key, value]) => [key, world.bus.jsonOf(value)]))
    ])
  )
  const decided = decide(facts)
  const [write] = diff(stored, decided)
  laws.checked += 1
  if (write !== undefined) {
    laws.broken(
      "as decided",
      `${write.bucket} ${write.key} holds something else than the facts decide: ${
        JSON.stringify(stored.get(write.bucket)?.get(write.key))
      } and not ${JSON.stringify("value" in write ? write.value : undefined)}`
    )
  }
  return decided
}

const bucketsOfDecisions: ReadonlySet<string> = new Set([
  bucketName.registry,
  bucketName.provisions,
  bucketName.asks,
  bucketName.plans
])

/** Whatever a provider made, its bucket says so, and it is asked about. */
const checkMade = ({ providers }: World, known: Knowledge, laws: Laws): void => {
  for (const { made, module } of providers) {
    for (const id of made.ids()) {
      const space = id.indexOf(" ")
      const [node, claim] = [id.slice(0, space), id.slice(space + 1)]
      const entry = entryIn(known, module, claim)
      laws.checked += 1
      const isBound = entry !== undefined &&
        [...makersIn(entry)].some((maker) => askKeyOf(maker, module, claim).startsWith(`${node}.`))
      if (!isBound || !known.has(bucketName.asks, `${node}.${module}.${claim}`)) {
        laws.broken(
          "nothing forgotten",
          `${module} on ${node} made ${claim}, and ${
            isBound ? "nothing is asked about it" : `${boundBucket(module)} does not say so`
          }`
        )
      }
    }
  }
}

/** Whatever is provided, failed or asked on the bus is so by the facts on the bus: what is waited for indeed is not there. */
const checkProvisions = (known: Knowledge, provisions: Decisions["provisions"], laws: Laws): void => {
  for (const [key, provision] of provisions) {
    const wrong = wrongProvision(known, key, provision)
    laws.checked += 1
    if (wrong !== undefined) {
      laws.broken(lawOfProvision(provision), `at rest ${key}: ${wrong}`)
    }
  }
}

/** Whatever is asked of a provider that runs is done. */
const checkAsks = ({ nodes }: World, known: Knowledge, laws: Laws): void => {
  for (const key of known.keys(bucketName.asks)) {
    const ask = key === epochKey ? undefined : known.get(bucketName.asks, key)
    const { claim, module, node } = readAskKey(key)
    const runs = nodes.some((one) => one.name === node && one.runs(module))
    const entry = entryIn(known, module, claim)
    laws.checked += 1
    if (!isJsonObject(ask) || !runs) {
      continue
    }
    if (ask["state"] === "wanted" && (entry?.state !== "provided" || askKeyOf(entry.by, module, claim) !== key)) {
      laws.broken("nothing stuck", `${key} is wanted, ${module} runs there, and its entry is ${JSON.stringify(entry)}`)
    }
    if (ask["state"] === "retire") {
      laws.broken("nothing stuck", `${key} is to be retired, ${module} runs there, and it is not undone`)
    }
  }
}

/** An answer that is about nothing that is there is deleted. */
const checkAnswers = (known: Knowledge, laws: Laws): void => {
  for (const key of known.keys(bucketName.answers)) {
    const { claim, module, node } = readAskKey(key)
    const answer = known.object(bucketName.answers, key)
    const isSound = answer !== undefined && /^[0-9a-f]{32}$/.test(String(answer["entry"]))
    const entry = entryIn(known, module, claim)
    laws.checked += 1
    if (isSound && entry !== undefined && !makersIn(entry).has(nameOf(node))) {
      laws.broken("as decided", `the answer to ${key} is still there, and nothing that it is about`)
    }
  }
}
