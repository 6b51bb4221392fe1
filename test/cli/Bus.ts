/**
 * A mesh on a real server for the tests of the command line: a provisioner within the test's process, and its verbs, answered by
 * NATS' own client.
 */
import { assert } from "@effect/vitest"
import { headers, type Msg } from "@nats-io/transport-node"
import { Effect, Logger, Redacted, type Scope } from "effect"
import { NatsBus, type NatsCredentials } from "../../src/adapters/nats/index.ts"
import { seatBucket } from "../../src/adapters/nats/SeatBucket.ts"
import { bucketName } from "../../src/core/BucketName.ts"
import type { Json } from "../../src/core/Json.ts"
import { Bus } from "../../src/ports/Bus.ts"
import { type VerbName, verbNames, type VerbReply } from "../../src/ports/VerbServer.ts"
import { Provisioner } from "../../src/provisioner/Provisioner.ts"
import { answerBy } from "../../src/provisioner/VerbDoor.ts"
import { act, until } from "../adapters/nats/Ground.ts"
import { type Bare, bare } from "../nats/Bare.ts"
import { type NatsServer, natsServer, type ServerOptions } from "../nats/Server.ts"
import { ended, run, start } from "./Bin.ts"

/** A server with the mesh's buckets. */
export interface OnBus {
  readonly server: NatsServer
  readonly admin: Bare
  readonly nats: NatsBus["Service"]
  /** Writes a fact; a deleted one where there is no value. */
  readonly put: (bucket: string, key: string, value?: Json) => Effect.Effect<void>
}

type Facts = { readonly buckets: { readonly [bucket: string]: { readonly [key: string]: Json } } }

/** A server, its buckets made as `setup` makes them and filled with facts. */
export const onBus = Effect.fnUntraced(function*(
  { buckets }: Facts,
  options: ServerOptions = {}
): Effect.fn.Return<OnBus, never, Scope.Scope> {
  const server = yield* natsServer(options)
  const admin = yield* bare(server)
  const nats = yield* NatsBus.make({ servers: [server.url], credentials: admins }).pipe(
    Effect.orDie,
    Effect.provideService(Logger.CurrentLoggers, new Set())
  )
  const names = new Set([...Object.values(bucketName), seatBucket, ...Object.keys(buckets)])
  yield* Effect.orDie(Effect.flatMap(nats.planBuckets({ buckets: names }), nats.applyPlans))
  for (const [bucket, values] of Object.entries(buckets)) {
    const written = Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)] as const)
    yield* act(() => admin.plant(bucket, written))
  }
  const put = (bucket: string, key: string, value?: Json) =>
    act(() => admin.plant(bucket, [value === undefined ? [key, "", deleted()] : [key, JSON.stringify(value)]]))
  return { server, admin, nats, put }
})

const admins: NatsCredentials = { _tag: "Password", user: "admin", password: Redacted.make("admin") }

const deleted = () => {
  const marker = headers()
  marker.set("KV-Operation", "DEL")
  return marker
}

/** How the verbs are answered. */
export interface AnswerOptions {
  /** The most bytes of an answer. */
  readonly replyBytesMax?: number
  /** The caller's account, as the bus names it. */
  readonly caller?: string
}

/** A provisioner that decides, writes, and answers the verbs, until the scope closes. */
export const provisionerOn = Effect.fnUntraced(function*(
  { admin, nats }: OnBus,
  { caller, replyBytesMax = 1_048_576 }: AnswerOptions = {}
): Effect.fn.Return<void, never, Scope.Scope> {
  const provisioner = yield* Provisioner.make().pipe(
    Effect.provideService(Bus, nats.bus),
    Effect.provideService(Logger.CurrentLoggers, new Set())
  )
  const answer = answerBy(provisioner.verbs)
  yield* answering(
    admin,
    (verb, payload) =>
      Effect.runPromise(Effect.provideService(
        answer({ verb, payload, caller, replyBytesMax }),
        Logger.CurrentLoggers,
        new Set()
      ))
  )
  for (let looks = 0; (yield* provisioner.health).state !== "live" && looks < 1_000; looks++) {
    yield* Effect.sleep("10 millis")
  }
})

/** Whoever answers the verbs, until the scope closes. */
export const answering = (
  { client }: Bare,
  answer: (verb: VerbName, payload: Uint8Array) => VerbReply | Promise<VerbReply>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.sync(() =>
      verbNames.map((verb) =>
        client.subscribe(`mesh-provisioner.${verb}`, {
          callback: (_, message) => {
            Promise.resolve(answer(verb, message.data)).then((reply) => respond(message, reply)).catch(() => undefined)
          }
        })
      )
    ),
    (subscriptions) => Effect.sync(() => subscriptions.forEach((subscription) => subscription.unsubscribe()))
  ))

const respond = (message: Msg, reply: VerbReply): void => {
  if (reply._tag === "Answer") {
    message.respond(reply.json)
    return
  }
  const { code, message: words } = reply
  const said = headers()
  said.set("Nats-Service-Error", "refused")
  said.set("Nats-Service-Error-Code", `${code}`)
  message.respond(JSON.stringify({ error: { code, message: words } }), { headers: said })
}

/** What a command prints of the bus, where nothing is wrong. */
export const printed = (url: string, args: ReadonlyArray<string>) =>
  Effect.map(act(() => run([...args, "--bus", url])), ({ exitCode, stderr, stdout }) => {
    assert.deepStrictEqual({ exitCode, stderr }, { exitCode: 0, stderr: "" })
    return stdout
  })

/** What is wrong, where a command fails. */
export const sentence = (args: ReadonlyArray<string>, exitCode: number) =>
  Effect.map(act(() => run(args)), (ran) => {
    assert.deepStrictEqual({ exitCode: ran.exitCode, stdout: ran.stdout }, { exitCode, stdout: "" })
    return ran.stderr
  })

/** A command that runs, and what it has said so far. */
export const following = (args: ReadonlyArray<string>) => {
  const child = start(args)
  const ran = ended(child)
  const said = { stdout: "", stderr: "" }
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].on("data", (text: string) => {
      said[stream] += text
    })
  }
  return {
    said,
    seen: (text: string) =>
      until(`it says ${text}, and not only ${JSON.stringify(said)}`, () => said.stdout.includes(text)),
    told: (text: string) =>
      until(`it tells ${text}, and not only ${JSON.stringify(said)}`, () => said.stderr.includes(text)),
    stop: (signal: NodeJS.Signals = "SIGINT") =>
      act(() => {
        child.kill(signal)
        return ran
      })
  }
}
