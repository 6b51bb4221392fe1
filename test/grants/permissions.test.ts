/**
 * Goal: on a server started from what `grants` prints, every party does what is its own, and nothing else (protocol §9).
 *
 * Method: every user tries every bucket, by raw requests: writing and reading keys of every node, all that JetStream can be
 * asked of a stream, and the verbs. What is to work is written out here from the protocol and read off nothing. The same is
 * tried with the users' own permissions taken away, where the accounts' borders alone are to hold.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { GrantsKind } from "../../src/adapters/nats/Grants.ts"
import { serverVersion } from "../nats/Server.ts"
import { ask, buckets, granted, type Ground, type Reply, type User, withoutPermissions } from "./Ground.ts"

const decisions = ["registry", "provisions", "asks", "plans"].map((name) => `mesh-provisioner_${name}`)
const ofTheController = ["modules", "assignments", "machines", "seats"].map((name) => `mesh-controller_${name}`)
const ofAClient = ["needs", "applied", "collect"].map((name) => `mesh-provisioner_${name}`)

const users = [
  "provisioner",
  "setup",
  "controller",
  ...["n1", "n2", "n10"].flatMap((node) => [`client:${node}`, `host:${node}`]),
  "provider:postgres@n2",
  "provider:dns@n1",
  "provider:postgres@n10",
  "operator:ann",
  "reader:board"
]

/** Keys that are tried in every bucket, and what others would take for patterns. */
const keys = [
  "n1.m.k.x",
  "n2.m.k.x",
  "n10.m.k.x",
  "n2.postgres",
  "n2.postgres.n1.m.p",
  "n1.dns.n2.m.p",
  "n1",
  "*.m.k.x"
]

const isOfNode = (key: string, node: string | undefined): boolean => key.startsWith(`${node}.`)

/** Whether the protocol has a user write a key. */
const mayWrite = (user: string, bucket: string, key: string): boolean => {
  const [role, who = ""] = user.split(":")
  switch (role) {
    case "provisioner":
      return [...decisions, "mesh-provisioner_answers", "mesh-provisioner_seat"].includes(bucket)
    case "controller":
      return ofTheController.includes(bucket)
    case "client":
      return ofAClient.includes(bucket) && isOfNode(key, who)
    case "host":
      return bucket === "mesh-host_haves" && isOfNode(key, who)
    case "provider":
      return who.startsWith("dns@") ? ["dns_bound", "dns_zones"].includes(bucket) : bucket === "postgres_bound"
    case "operator":
      return bucket === "mesh-config_values"
    default:
      return false
  }
}

/** Whether a user is to read a key, by itself: the provisioner reads all, and as the bucket's leader has it. */
const mayRead = (user: string, bucket: string, key: string): boolean => {
  const [role, who = ""] = user.split(":")
  switch (role) {
    case "controller":
      return [...ofTheController, "mesh-host_haves", "mesh-provisioner_plans"].includes(bucket)
    case "client":
      return ["mesh-provisioner_registry", "dns_zones"].includes(bucket) ||
        (bucket === "mesh-controller_assignments" && key === "n2.postgres") ||
        ([
          ...ofAClient,
          "mesh-provisioner_provisions",
          "mesh-provisioner_asks",
          "mesh-provisioner_plans",
          "mesh-config_values",
          "mesh-controller_assignments",
          "postgres_bound",
          "dns_bound"
        ].includes(bucket) && isOfNode(key, who))
    case "host":
      return ["mesh-host_haves", "mesh-controller_assignments"].includes(bucket) && isOfNode(key, who)
    case "provider":
      return mayWrite(user, bucket, key) || bucket === "mesh-controller_modules" ||
        (bucket === "mesh-provisioner_asks" && isOfNode(key, who.split("@").reverse().join(".")))
    case "operator":
      return bucket === "mesh-config_values" || decisions.includes(bucket)
    case "reader":
      return decisions.includes(bucket)
    default:
      return false
  }
}

/** Whether a user reads all keys of a bucket: then it may know their names, too. */
const mayReadAll = (user: string, bucket: string): boolean =>
  ["n3.m.k.x", "x"].every((key) => mayRead(user, bucket, key)) || ["provisioner", "setup"].includes(user)

const verbsOf = (user: string): ReadonlyArray<string> =>
  ["provisioner", "setup", "controller"].includes(user)
    ? []
    : [
      "provisioning",
      "explain",
      ...(user.startsWith("operator:") ? ["retire"] : []),
      ...(/^(?:operator|reader):/.test(user) ? ["what-if"] : [])
    ]

// --- what a request came to, if it came through -----------------------------------------------------------------

const isStored = (reply: Reply): boolean => reply._tag === "Answered" && /"seq":\s*\d/.test(reply.text)

const isRead = (reply: Reply): boolean => reply._tag === "Answered" && !/"error"/.test(reply.text)

const isHeard = (reply: Reply): boolean =>
  reply._tag === "Answered" && !/not enabled for account|no responders/i.test(reply.text)

/** Says what is not as it should be: one line for each try. */
class Tries {
  readonly wrong: Array<string> = []

  say(what: string, is: boolean, shouldBe: boolean): void {
    if (is !== shouldBe) {
      this.wrong.push(`${what}: ${is ? "came through" : "was refused"}`)
    }
  }
}

const stream = (bucket: string) => `KV_${bucket}`

const tryKeys = async (ground: Ground, user: User, bucket: string, tries: Tries): Promise<void> => {
  for (const key of keys) {
    const subject = `$KV.${bucket}.${key}`
    const reply = await ask(user, subject, `"by ${user.name}"`)
    tries.say(`${user.name} writes ${subject}`, isStored(reply), mayWrite(user.name, bucket, key))
    const held = await ground.admin.request(`$JS.API.DIRECT.GET.${stream(bucket)}.${subject}`)
    const isThere = held.headers?.get("Nats-Subject") === subject && held.string() === `"by ${user.name}"`
    tries.say(`${subject} of ${user.name} is there`, isThere, mayWrite(user.name, bucket, key))
    const got = await ask(user, `${user.apiPrefix}.DIRECT.GET.${stream(bucket)}.${subject}`)
    tries.say(`${user.name} reads ${subject}`, isRead(got), mayRead(user.name, bucket, key))
  }
}

const whoFollows = (bucket: string) => ["provisioner", ...(bucket === "mesh-controller_modules" ? ["setup"] : [])]

/** What can be asked of a stream, each made so that it does no harm where it comes through. */
const streamRequests = (bucket: string): ReadonlyArray<readonly [subject: string, payload: string, who: string[]]> => [
  [`DIRECT.GET.${stream(bucket)}`, `{"last_by_subj":"$KV.${bucket}.n1.m.k.x"}`, []],
  [`STREAM.MSG.GET.${stream(bucket)}`, `{"last_by_subj":"$KV.${bucket}.n1.m.k.x"}`, ["provisioner"]],
  [`STREAM.CREATE.${stream(bucket)}`, "none", ["setup"]],
  [`STREAM.UPDATE.${stream(bucket)}`, "none", ["setup"]],
  [`STREAM.DELETE.${stream(bucket)}`, "none", []],
  [`STREAM.PURGE.${stream(bucket)}`, "none", []],
  [`STREAM.MSG.DELETE.${stream(bucket)}`, "none", []],
  [`STREAM.SNAPSHOT.${stream(bucket)}`, "none", []],
  [`CONSUMER.CREATE.${stream(bucket)}`, "none", []],
  [`CONSUMER.CREATE.${stream(bucket)}.c`, "none", []],
  [`CONSUMER.CREATE.${stream(bucket)}.c.$KV.${bucket}.n1.>`, "none", whoFollows(bucket)],
  [`CONSUMER.CREATE.${stream(bucket)}.c.$KV.${bucket}.>`, "none", whoFollows(bucket)],
  [`CONSUMER.DURABLE.CREATE.${stream(bucket)}.c`, "none", []],
  [`CONSUMER.MSG.NEXT.${stream(bucket)}.c`, "none", []],
  [`CONSUMER.NAMES.${stream(bucket)}`, "", []]
]

const tryStream = async (user: User, bucket: string, tries: Tries): Promise<void> => {
  const info = await ask(user, `${user.apiPrefix}.STREAM.INFO.${stream(bucket)}`)
  tries.say(`${user.name} looks at ${bucket}`, isRead(info), mayReadAll(user.name, bucket))
  for (const [request, payload, who] of streamRequests(bucket)) {
    const reply = await ask(user, `${user.apiPrefix}.${request}`, payload)
    tries.say(`${user.name} asks ${request}`, isHeard(reply), who.includes(user.name))
  }
}

/** Which of the buckets' keys a user hears of, where all are written. */
const tryNotices = async (ground: Ground, user: User, tries: Tries): Promise<void> => {
  const heard = new Set<string>()
  const subjects = buckets.flatMap((bucket) => keys.filter(isNoPattern).map((key) => `$KV.${bucket}.${key}`))
  const listening = subjects.map((subject) =>
    user.client.subscribe(subject, {
      callback: (error, message) => void (error === null && heard.add(message.subject))
    })
  )
  await user.client.flush()
  for (const bucket of buckets) {
    for (const key of keys) {
      ground.admin.publish(`$KV.${bucket}.${key}`, `"by the admin"`)
    }
  }
  await ground.admin.flush()
  await user.client.flush()
  await new Promise((resolve) => setTimeout(resolve, 50))
  listening.forEach((one) => one.unsubscribe())
  for (const bucket of buckets) {
    for (const key of keys.filter(isNoPattern)) {
      const subject = `$KV.${bucket}.${key}`
      tries.say(`${user.name} hears of ${subject}`, heard.has(subject), mayRead(user.name, bucket, key))
    }
  }
}

const isNoPattern = (key: string): boolean => !key.includes("*")

/** Whether a user may hear what it was not given: everything there is, and another's answers. */
const tryListening = async (ground: Ground, user: User, tries: Tries): Promise<void> => {
  for (const subject of [">", "$KV.>", "_INBOX.>", "_R_.>", "$JS.>", "mesh-provisioner.*.*", "_INBOX.reader:other.>"]) {
    const heard: Array<string> = []
    const denied = user.denials.length
    const inbox = subject.startsWith("_INBOX") ? "_INBOX.reader:other.x" : undefined
    const listening = user.client.subscribe(subject, {
      callback: (error, message) => void (error === null && heard.push(message.subject))
    })
    await user.client.flush()
    ground.admin.publish(inbox ?? nobodyReads, "{}")
    await ground.admin.flush()
    await user.client.flush()
    const isOpen = heard.some((one) => one === inbox || one === nobodyReads)
    tries.say(`${user.name} listens to ${subject}`, isOpen && user.denials.length === denied, false)
    listening.unsubscribe()
  }
}

/** A key that no party reads but the provisioner. */
const nobodyReads = "$KV.mesh-provisioner_answers.n3.m.k.x"

/** The verbs: answered by a raw subscription as the provisioner, with the subject that it was asked by. */
const tryVerbs = async (kind: GrantsKind, user: User, tries: Tries): Promise<void> => {
  const caller = /^(?:client|host):/.test(user.name) ? user.name.replace(/^\w+/, "node") : user.name
  for (const verb of ["provisioning", "explain", "retire", "what-if"]) {
    const reply = await ask(user, `mesh-provisioner.${verb}`, "{}")
    const wanted = `asked by mesh-provisioner.${verb}${kind === "accounts" ? `.${caller}` : ""}`
    const isAnswered = reply._tag === "Answered" && reply.text === wanted
    tries.say(`${user.name} asks ${verb}`, isAnswered, verbsOf(user.name).includes(verb))
    const asAnother = await ask(user, `mesh-provisioner.${verb}.operator:ann`, "{}")
    tries.say(`${user.name} asks ${verb} as operator:ann`, asAnother._tag === "Answered", false)
  }
  const found = await ask(user, "$SRV.PING.mesh-provisioner", "")
  tries.say(`${user.name} finds the service`, found._tag === "Answered", user.name.startsWith("operator:"))
}

const serveVerbs = async ({ client }: User): Promise<void> => {
  for (const subject of ["mesh-provisioner.*", "mesh-provisioner.*.*", "$SRV.PING.mesh-provisioner"]) {
    for (const one of subject === "$SRV.PING.mesh-provisioner" ? [subject] : verbSubjects(subject)) {
      client.subscribe(one, { callback: (_, message) => void message.respond(`asked by ${message.subject}`) })
    }
  }
  await client.flush()
}

const verbSubjects = (pattern: string): ReadonlyArray<string> =>
  ["provisioning", "explain", "retire", "what-if"].map((verb) => pattern.replace("*", verb))

const kinds: ReadonlyArray<readonly [name: string, kind: GrantsKind, edit?: (config: string) => string]> = [
  ["accounts", "accounts"],
  ["accounts, by their borders alone", "accounts", withoutPermissions],
  ["single-account", "single-account"]
]

for (const [name, kind, edit] of kinds) {
  describe(`${name}, on nats-server ${serverVersion}`, () => {
    it.live("every user does what is its own, and nothing else", () =>
      Effect.gen(function*() {
        const ground = yield* granted(kind, edit)
        yield* Effect.promise(() => serveVerbs(ground.user("provisioner")))
        const tries = new Tries()
        for (const user of users.map(ground.user)) {
          yield* Effect.promise(async () => {
            await Promise.all(buckets.map((bucket) => tryKeys(ground, user, bucket, tries)))
            await Promise.all(buckets.map((bucket) => tryStream(user, bucket, tries)))
            await tryVerbs(kind, user, tries)
            if (user.name !== "provisioner") {
              await tryNotices(ground, user, tries)
              await tryListening(ground, user, tries)
            }
          })
        }
        assert.deepStrictEqual(tries.wrong, [])
      }), 120_000)
  })
}
