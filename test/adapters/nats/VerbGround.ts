/**
 * What the tests of the verbs on NATS share: a mesh in memory whose verbs are asked, the asking, and servers of accounts.
 */
import { type Msg, type NatsConnection } from "@nats-io/transport-node"
import { Effect, Logger, type Scope } from "effect"
import { Bus, MemoryBus } from "../../../src/adapters/memory/index.ts"
import type { NatsBus } from "../../../src/adapters/nats/index.ts"
import type { Snapshot } from "../../../src/core/index.ts"
import type { VerbCall, VerbReply } from "../../../src/ports/VerbServer.ts"
import { Provisioner } from "../../../src/provisioner/Provisioner.ts"
import { answerBy } from "../../../src/provisioner/VerbDoor.ts"
import { act, keeping } from "./Ground.ts"

/** A shop and a wiki whose databases postgres on n2 has made, and one that it has made for nobody any more. */
const mesh: Snapshot = {
  buckets: {
    "mesh-controller_modules": { postgres: { provides: { database: { credential: "consumer" } } }, broken: 7 },
    "mesh-controller_assignments": {
      "n1.shop": { build: "s1" },
      "n2.postgres": { build: "p1" },
      "n2.wiki": { build: "w1" }
    },
    "mesh-host_haves": { "n2.postgres": { build: "p1", health: "healthy" } },
    "mesh-provisioner_needs": {
      "n1.shop.bound.database": {},
      "n2.wiki.bound.database": {},
      "n1.shop.bound": {},
      "n2.wiki.bound": {}
    },
    postgres_bound: {
      "n1.shop.database": { state: "provided", by: "n2" },
      "n2.wiki.database": { state: "provided", by: "n2" },
      "n1.former.database": { state: "provided", by: "n2" }
    }
  }
}

/** The ask of what is there for nobody. */
export const unneeded = "n2.postgres.n1.former.database"

/** The verbs of a provisioner on a mesh in memory. */
export const verbsOfMesh = Effect.fnUntraced(function*(
  snapshot: Snapshot = mesh
): Effect.fn.Return<(call: VerbCall) => Effect.Effect<VerbReply>, never, MemoryBus | Scope.Scope> {
  const memory = yield* MemoryBus
  yield* Effect.orDie(memory.load(snapshot))
  const provisioner = yield* Provisioner.make().pipe(
    Effect.provideService(Bus, memory.as({ role: "provisioner" })),
    Effect.provideService(Logger.CurrentLoggers, new Set())
  )
  while ((yield* provisioner.health).state !== "live") {
    yield* Effect.sleep("5 millis")
  }
  return answerBy(provisioner.verbs)
})

/** Answers with the verb, who asks and how much was sent. */
export const echo = ({ caller, payload, verb }: VerbCall): Effect.Effect<VerbReply> =>
  Effect.succeed({ _tag: "Answer", json: JSON.stringify({ verb, caller, bytes: payload.length }) })

/** Serves the verbs, until the scope closes. What it logs goes to `lines`. */
export const serve = (
  nats: NatsBus["Service"],
  answer: (call: VerbCall) => Effect.Effect<VerbReply> = echo,
  lines: Array<string> = []
) =>
  nats.verbServer.serve(answer).pipe(
    Effect.orDie,
    Effect.provideService(Logger.CurrentLoggers, new Set([keeping(lines)]))
  )

/** Asks at a subject, with a value as JSON or bytes as they are. */
export const send = (
  client: NatsConnection,
  subject: string,
  request: object | Uint8Array | string = ""
): Effect.Effect<Msg> =>
  act(() =>
    client.request(
      subject,
      typeof request === "string" || request instanceof Uint8Array ? request : JSON.stringify(request),
      { timeout: 8_000 }
    )
  )

/** What a verb answers. */
export const ask = <A>(client: NatsConnection, verb: string, request: object = {}): Effect.Effect<A> =>
  Effect.map(send(client, `mesh-provisioner.${verb}`, request), (reply) => {
    if (reply.headers?.has("Nats-Service-Error") === true) {
      throw new Error(`${verb} is refused: ${reply.string()}`)
    }
    return reply.json<A>()
  })

/** A refusal, as it came. */
export interface Refused {
  readonly code: number
  readonly message: string
}

/** The refusal that a reply is; its headers and its body say the same. */
export const refusalOf = (reply: Msg): Refused => {
  const { error } = reply.json<{ readonly error: Refused }>()
  if (
    Object.keys(error).join() !== "code,message" || reply.headers?.get("Nats-Service-Error-Code") !== `${error.code}` ||
    reply.headers.get("Nats-Service-Error") !== error.message.slice(0, 256)
  ) {
    throw new Error(`this is no refusal: ${reply.headers} ${reply.string()}`)
  }
  return error
}

/** The refusal of a verb. */
export const refused = (client: NatsConnection, verb: string, request: object | Uint8Array | string) =>
  Effect.map(send(client, `mesh-provisioner.${verb}`, request), refusalOf)

const verbs = ["provisioning", "explain", "retire"]

/** A server on which `mesh` exports the verbs with the caller's account, and each of these accounts imports them as its own. */
export const accountsConfig = (
  names: ReadonlyArray<string>,
  tokenOf: (account: string) => string = (account) => account
): string =>
  JSON.stringify({
    accounts: {
      mesh: {
        jetstream: "enabled",
        users: [{ user: "mesh", password: "mesh" }],
        exports: verbs.map((verb) => ({ service: `mesh-provisioner.${verb}.*`, account_token_position: 3 }))
      },
      ...Object.fromEntries(names.map((name) => [name, {
        users: [{ user: name, password: name }],
        imports: verbs.map((verb) => ({
          service: { account: "mesh", subject: `mesh-provisioner.${verb}.${tokenOf(name)}` },
          to: `mesh-provisioner.${verb}`
        }))
      }]))
    }
  })
