/**
 * What a fact says, for a step of an explanation (protocol §8): that it is there or not, what is wrong with it, and who
 * is to write it.
 */
import * as Result from "effect/Result"
import { type Writer, writerOf } from "./Bucket.ts"
import { bucketName, moduleOfBoundBucket } from "./BucketName.ts"
import type { ModuleOn, Waits } from "./Decision.ts"
import type { FactsView } from "./Facts.ts"
import { on, stepWhy } from "./Words.ts"

/** What a fact says, without what a stranger's value holds. */
export const sayFact = (facts: FactsView, fact: Waits, provider: ModuleOn | undefined): string => {
  const table = facts.table(fact.bucket)
  const found = table?.fact(fact.key)
  const stranger = table === undefined ? facts.stranger(fact.bucket, fact.key) : undefined
  const writer = sayWriter(fact.bucket, provider)
  if (found === undefined && stranger === undefined) {
    return stepWhy.absent(writer)
  }
  const wrong = stranger !== undefined && Result.isFailure(stranger) ? stranger.failure : found?.why
  return wrong === undefined ? saySound(facts, fact) : stepWhy.outOfShape(wrong, writer)
}

const saySound = (facts: FactsView, { bucket, key }: Waits): string => {
  const module = moduleOfBoundBucket(bucket)
  const entry = module === undefined ? undefined : facts.bound.get(module)?.value(key)
  if (entry !== undefined) {
    return stepWhy.says(entry.state, entry.why)
  }
  const have = bucket === bucketName.haves ? facts.haves.value(key) : undefined
  if (have !== undefined) {
    return stepWhy.runs(have.build, have.health, have.words)
  }
  const holder = bucket === bucketName.seats ? facts.seats.value(key) : undefined
  if (holder !== undefined) {
    return stepWhy.seat(holder)
  }
  const assignment = bucket === bucketName.assignments ? facts.assignments.value(key) : undefined
  if (assignment !== undefined) {
    return stepWhy.assigned(assignment.build)
  }
  return bucket === bucketName.machines && facts.machines.value(key)?.lost === true ? stepWhy.lost() : stepWhy.there()
}

const writers: { readonly [Name in Exclude<Writer, "provider">]: string } = {
  controller: "the controller",
  operator: "an operator",
  host: "the node's host",
  client: "the node's client",
  provisioner: "the provisioner"
}

const sayWriter = (bucket: string, provider: ModuleOn | undefined): string => {
  const writer = writerOf(bucket)
  const module = moduleOfBoundBucket(bucket)
  if (writer === undefined) {
    return `the module that owns ${bucket}`
  }
  if (writer !== "provider") {
    return writers[writer]
  }
  return provider !== undefined && provider.module === module ? on(provider) : bucket.slice(0, -"_bound".length)
}
