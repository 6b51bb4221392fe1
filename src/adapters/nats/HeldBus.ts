/**
 * The bus for as long as a lease of the seat is held.
 */
import * as Effect from "effect/Effect"
import { Bus } from "../../ports/Bus.ts"
import { BusError } from "../../ports/BusError.ts"
import type { Lease } from "./Lease.ts"

/** The bus, whose writes are refused once the lease has run out: nothing is sent then. */
export const whileHeld = (bus: Bus["Service"], lease: Lease): Bus["Service"] => {
  const held = (operation: "create" | "update" | "delete", bucket: string, key: string) =>
    lease.isHeld ? Effect.void : Effect.fail(new BusError({ operation, bucket, key, reason: { _tag: "Fenced" } }))
  return Bus.of({
    ...bus,
    create: (bucket, key, value) =>
      Effect.andThen(Effect.suspend(() => held("create", bucket, key)), bus.create(bucket, key, value)),
    update: (bucket, key, value, revision) =>
      Effect.andThen(Effect.suspend(() => held("update", bucket, key)), bus.update(bucket, key, value, revision)),
    delete: (bucket, key, revision) =>
      Effect.andThen(Effect.suspend(() => held("delete", bucket, key)), bus.delete(bucket, key, revision))
  })
}
