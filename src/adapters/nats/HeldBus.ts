/**
 * The bus for as long as a lease of the seat is held.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Bus, type ManyWrites } from "../../ports/Bus.ts"
import { BusError } from "../../ports/BusError.ts"
import { type Write, writeError } from "../../ports/Write.ts"
import type { Lease } from "./Lease.ts"

/** The bus, whose writes are refused once the lease has run out: nothing is sent then. */
export const whileHeld = (bus: Bus["Service"], lease: Lease): Bus["Service"] => {
  const held = (operation: "create" | "update" | "delete", bucket: string, key: string) =>
    lease.isHeld ? Effect.void : Effect.fail(new BusError({ operation, bucket, key, reason: { _tag: "Fenced" } }))
  const { writeMany } = bus
  return Bus.of({
    ...bus,
    ...(writeMany === undefined ? {} : { writeMany: (many) => writeMany({ ...many, next: nextHeld(many, lease) }) }),
    create: (bucket, key, value) =>
      Effect.andThen(Effect.suspend(() => held("create", bucket, key)), bus.create(bucket, key, value)),
    update: (bucket, key, value, revision) =>
      Effect.andThen(Effect.suspend(() => held("update", bucket, key)), bus.update(bucket, key, value, revision)),
    delete: (bucket, key, revision) =>
      Effect.andThen(Effect.suspend(() => held("delete", bucket, key)), bus.delete(bucket, key, revision))
  })
}

/** The next write that is asked for while the lease is held; those that are asked for later are refused. */
const nextHeld = <One extends Write>({ next, settled }: ManyWrites<One>, lease: Lease) => (): One | undefined => {
  let toWrite = next()
  while (toWrite !== undefined && !lease.isHeld) {
    settled(toWrite, Result.fail(writeError(toWrite, { _tag: "Fenced" })))
    toWrite = next()
  }
  return toWrite
}
