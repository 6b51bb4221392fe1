import { Effect, Layer, Redacted } from "effect"
import { afterAll, describe, test } from "vitest"
import { NatsBus } from "../../src/adapters/nats/index.ts"
import { bucketName } from "../../src/core/BucketName.ts"
import type { Account } from "../../src/ports/Account.ts"
import { BusDoor, conformance } from "../../src/testing/index.ts"
import { userOf, usersConfig } from "../nats/Accounts.ts"
import { bare } from "../nats/Bare.ts"
import { natsServer, serverVersion } from "../nats/Server.ts"

const accounts: ReadonlyArray<Account> = [
  ...(["provisioner", "controller", "operator", "reader"] as const).map((role) => ({ role })),
  ...["n1", "n2"].flatMap((node) => (["host", "client"] as const).map((role) => ({ role, node }))),
  ...["postgres", "dns"].map((module) => ({ role: "provider" as const, module }))
]

const door = Effect.gen(function*() {
  const server = yield* natsServer({ config: usersConfig(accounts) })
  const admin = yield* bare(server)
  yield* Effect.forEach(Object.values(bucketName), (bucket) => Effect.promise(() => admin.makeBucket(bucket)))
  return BusDoor.of({
    connect: (account) =>
      NatsBus.make({
        servers: [server.url],
        credentials: { _tag: "Password", user: userOf(account), password: Redacted.make(userOf(account)) }
      }).pipe(Effect.map(({ bus }) => bus), Effect.orDie),
    makeBucket: (bucket) => Effect.promise(() => admin.makeBucket(bucket)),
    deleteBucket: (bucket) => Effect.promise(() => admin.deleteBucket(bucket)),
    plant: (bucket, values) => Effect.promise(() => admin.plant(bucket, values))
  })
})

describe(`the contract of the bus, on nats-server ${serverVersion}`, () => {
  conformance(Layer.effect(BusDoor, door), { afterAll, describe, test })
})
