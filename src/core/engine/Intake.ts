/**
 * How a change is taken in: the fact is kept as it was read, and what the change can touch is marked. A fact that says what
 * it said before touches nothing. Each change can be undone, since a fact that was there is kept whole.
 */
import * as Result from "effect/Result"
import { bucketName, isDecisionBucket, moduleOfBoundBucket } from "../BucketName.ts"
import type { Fact, Value } from "../Decode.ts"
import { readJson } from "../Decode.ts"
import type { BucketChange, Change, Facts } from "../Facts.ts"
import { type Json, sameJson } from "../Json.ts"
import type { Part } from "../Key.ts"
import type { Table } from "../Table.ts"
import { noticeAssignment } from "./NoticeAssignment.ts"
import {
  noticeAnswer,
  noticeApplied,
  noticeBound,
  noticeBoundBucket,
  noticeConfigValue,
  noticeItem,
  noticeNeed,
  noticeStranger
} from "./NoticeConsumer.ts"
import { noticeDefinition, noticeMachine, noticeSeat } from "./NoticeShared.ts"
import { noteOutOfShape, type World } from "./World.ts"

/** What brings the facts back to what they were. */
export type Undo = () => void

/** Takes changes in, and can undo them. */
export class Intake {
  readonly #world: World
  /** How each bucket's changes are taken in: those that are always there, and those of providers' that are. */
  readonly #rows: Map<string, Row>
  #undo: Array<Undo> | undefined

  constructor(world: World) {
    this.#world = world
    this.#rows = rowsOf(world)
  }

  /** Takes a change in, and gives whether it changes any fact. One of a decision bucket is none of facts. */
  take(change: Change | BucketChange): boolean {
    if (isDecisionBucket(change.bucket)) {
      return false
    }
    if ("isThere" in change) {
      return this.#setBucket(change.bucket, change.isThere)
    }
    const isNew = this.#setBucket(change.bucket, true)
    return this.#put(this.#row(change.bucket), change) || isNew
  }

  /** Begins with the facts that others hold, as they were read: each is kept, and not what holds them. */
  begin(facts: Facts): void {
    for (const bucket of facts.buckets()) {
      this.#setBucket(bucket, true)
      const row = this.#row(bucket)
      if (row !== undefined) {
        row.begin(facts)
      } else {
        for (const key of facts.strangers(bucket)) {
          this.#setStranger(bucket, key, facts.stranger(bucket, key))
        }
      }
    }
  }

  /** Takes changes in, and gives what undoes them. */
  takeForNow(changes: Iterable<Change | BucketChange>): Undo {
    const undo: Array<Undo> = []
    this.#undo = undo
    for (const change of changes) {
      this.take(change)
    }
    this.#undo = undefined
    return () => undo.reverse().forEach((one) => one())
  }

  #put(row: Row | undefined, { bucket, key, value }: Change): boolean {
    return row === undefined
      ? this.#setStranger(bucket, key, value === undefined ? undefined : readJson(value))
      : row.take(key, value, this.#undo)
  }

  #row(bucket: string): Row | undefined {
    const known = this.#rows.get(bucket)
    const module = known === undefined ? moduleOfBoundBucket(bucket) : undefined
    if (module === undefined) {
      return known
    }
    // A bucket that vanished and is back has another table: what undoes a change looks for it anew.
    const made = row(
      this.#world,
      bucket,
      ({ bound }) => bound.get(module),
      (...change) => noticeBound(this.#world, module, ...change)
    )
    this.#rows.set(bucket, made)
    return made
  }

  #setBucket(bucket: string, isThere: boolean): boolean {
    const { facts } = this.#world.index
    if (facts.isThere(bucket) === isThere) {
      return false
    }
    if (isThere) {
      facts.openBucket(bucket)
    } else {
      this.#empty(bucket)
      facts.closeBucket(bucket)
    }
    this.#undo?.push(() => this.#setBucket(bucket, !isThere))
    const module = moduleOfBoundBucket(bucket)
    if (module !== undefined) {
      this.#rows.delete(bucket)
      noticeBoundBucket(this.#world)
    }
    return true
  }

  #empty(bucket: string): void {
    const row = this.#row(bucket)
    const keys = row === undefined ? this.#world.index.facts.strangers(bucket) : row.keys()
    for (const key of keys) {
      this.#put(row, { bucket, key })
    }
  }

  #setStranger(bucket: string, key: string, after: Result.Result<Json, string> | undefined): boolean {
    const { facts } = this.#world.index
    const before = facts.stranger(bucket, key)
    if (sameResult(before, after)) {
      return false
    }
    facts.keepStranger(bucket, key, after)
    this.#undo?.push(() => this.#setStranger(bucket, key, before))
    noticeStranger(this.#world, bucket, key)
    return true
  }
}

type Read = Result.Result<Json, string> | undefined

const sameResult = (one: Read, other: Read): boolean => {
  if (one === undefined || other === undefined) {
    return one === other
  }
  return Result.isSuccess(one)
    ? Result.isSuccess(other) && sameJson(one.success, other.success)
    : Result.isFailure(other) && one.failure === other.failure
}

/** How a bucket of protocol §3 takes a change in: gives whether it changes the fact. */
interface Row {
  readonly take: (key: string, value: Value | undefined, undo: Array<Undo> | undefined) => boolean
  /** Takes in the facts of the same bucket of others, where nothing was before. */
  readonly begin: (facts: Facts) => void
  readonly keys: () => ReadonlyArray<string>
}

const rowsOf = (world: World): Map<string, Row> =>
  new Map([
    [
      bucketName.modules,
      row(world, bucketName.modules, ({ modules }) => modules, (...change) => noticeDefinition(world, ...change), anew)
    ],
    [
      bucketName.assignments,
      row(
        world,
        bucketName.assignments,
        (facts) => facts.assignments,
        (...change) => noticeAssignment(world, ...change)
      )
    ],
    [
      bucketName.machines,
      row(world, bucketName.machines, ({ machines }) => machines, (...change) => noticeMachine(world, ...change))
    ],
    [
      bucketName.seats,
      row(world, bucketName.seats, ({ seats }) => seats, (_, ...change) => noticeSeat(world, ...change))
    ],
    [
      bucketName.configValues,
      row(
        world,
        bucketName.configValues,
        ({ configValues }) => configValues,
        (_, before, after) => noticeConfigValue(world, after ?? before)
      )
    ],
    [bucketName.haves, row(world, bucketName.haves, ({ haves }) => haves, (key) => world.touched.haves.add(key))],
    [bucketName.needs, row(world, bucketName.needs, ({ needs }) => needs, (...change) => noticeNeed(world, ...change))],
    [
      bucketName.applied,
      row(world, bucketName.applied, ({ applied }) => applied, (...change) => noticeApplied(world, ...change))
    ],
    [
      bucketName.collect,
      row(world, bucketName.collect, ({ collect }) => collect, (_, ...change) => noticeItem(world, ...change))
    ],
    [
      bucketName.answers,
      row(world, bucketName.answers, ({ answers }) => answers, (...change) => noticeAnswer(world, ...change))
    ]
  ])

const row = <P extends Part, A>(
  world: World,
  bucket: string,
  tableIn: (facts: Facts) => Table<P, A> | undefined,
  notice: (key: string, before: Fact<P, A> | undefined, after: Fact<P, A> | undefined) => void,
  isSame: (one: A | undefined, other: A | undefined) => boolean = sameValue
): Row => {
  const { facts } = world.index
  const keep = (
    key: string,
    before: Fact<P, A> | undefined,
    after: Fact<P, A> | undefined,
    undo: Array<Undo> | undefined
  ): boolean => {
    const table = tableIn(facts)
    if (table === undefined || sameFact(before, after)) {
      return false
    }
    table.keep(key, after)
    if (after === undefined) {
      world.index.orders.remove(bucket, key)
    } else if (before === undefined) {
      world.index.orders.add(bucket, key)
    }
    undo?.push(() => keep(key, after, before, undefined))
    const isOtherwiseWrong = before?.why !== after?.why
    if (isOtherwiseWrong) {
      noteOutOfShape(world, bucket, key, after?.why)
    }
    if (isOtherwiseWrong || !isSame(before?.value, after?.value)) {
      notice(key, before, after)
    }
    return true
  }
  return {
    take: (key, value, undo) => {
      const table = tableIn(facts)
      return keep(key, table?.fact(key), value === undefined ? undefined : table?.read(key, value), undo)
    },
    begin: (others) => {
      for (const fact of tableIn(others)?.all() ?? []) {
        keep(fact.key, undefined, fact, undefined)
      }
    },
    keys: () => [...tableIn(facts)?.all() ?? []].map(({ key }) => key)
  }
}

type Word = Pick<Fact, "why" | "json">

const sameFact = (one: Word | undefined, other: Word | undefined): boolean =>
  one === undefined || other === undefined
    ? one === other
    : one.why === other.why && sameJson(one.json, other.json)

// What is decoded of every bucket but the definitions' is plain data: JSON, but that it has a type of its own.
const sameValue = (one: unknown, other: unknown): boolean =>
  sameJson(one as Json | undefined, other as Json | undefined)

// What has changed of a definition is looked at part by part.
const anew = (): boolean => false
