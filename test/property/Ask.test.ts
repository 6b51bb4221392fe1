/**
 * Asks (protocol §6, §6.1): what was made for a consumer is held until it is known to be needed no more. Nothing absent,
 * garbled or late has anything undone, and nothing is undone that nobody agreed to.
 */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { decide } from "../../src/core/Decide.ts"
import type { Ask } from "../../src/core/Decision.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { type Loss, lossOf } from "../arbitrary/Loss.ts"
import { isThere, objectAt, type Place } from "../arbitrary/Snapshots.ts"
import { wildMesh } from "../arbitrary/WildMesh.ts"
import { type Facts, readFacts } from "../naive/facts.ts"
import { assignmentOf, entryAt, holderOf, keyOf, makersOf, providedOf, valueAt } from "../naive/mesh.ts"
import { digest, isModule, join, readTokens } from "../naive/name.ts"
import { type Held, heldIn, type HeldMesh } from "./Held.ts"
import { check, Met } from "./Law.ts"

const lossy = lossOf(coherentMesh).map(({ after }) => after)
const anyMesh = fc.oneof(coherentMesh, wildMesh, lossy)

/** What the key of an ask says. */
const asked = (key: string) => {
  const [node = "", module = "", consumerNode = "", consumerModule = "", provision = "", local] = readTokens(key) ?? []
  const consumer = { node: consumerNode, module: consumerModule }
  const claim = join(consumerNode, consumerModule, provision, local)
  return {
    maker: { node, module },
    consumer,
    provision,
    local,
    claim,
    isCredential: module === "mesh-vault" && provision === "credential"
  }
}

/** Whether an operator answered that what the maker has now is to be undone. */
const isAnswered = (facts: Facts, key: string): boolean => {
  const { claim, maker } = asked(key)
  const entry = entryAt(facts, maker.module, claim)?.value
  const answer = valueAt(facts.answers, key)
  if (entry === undefined || answer?.answer !== "retire") {
    return false
  }
  const { by, for: instance, values } = entry
  const has = by === maker.node && entry.state !== "retired"
    ? { by, ...(instance === undefined ? {} : { for: instance }), ...(values === undefined ? {} : { values }) }
    : { also: maker.node }
  return answer.entry === digest(has)
}

/** Whether the definition says that what is made can be made again at no loss. */
const isFree = (facts: Facts, key: string): boolean => {
  const { maker, provision } = asked(key)
  return providedOf(facts, maker.module, provision)?.retire === "free"
}

/** Whether a credential's ask is of one whose provider has undone all that it opens. */
const isOpenedNoMore = (facts: Facts, key: string): boolean => {
  const { consumer, isCredential, local } = asked(key)
  const [module, ...rest] = local === undefined ? [] : readTokens(local) ?? []
  const opened = isModule(module)
    ? entryAt(facts, module, join(consumer.node, consumer.module, ...rest.slice(0, -1)))?.value
    : undefined
  return isCredential && opened?.state === "retired" && makersOf(opened).length === 0 &&
    holderOf(facts, "vault") !== undefined
}

const withState = (asks: ReadonlyMap<string, Ask>, ...states: ReadonlyArray<Ask["state"]>): ReadonlyArray<string> =>
  [...asks].filter(([, { state }]) => states.includes(state)).map(([key]) => key)

test("nothing becomes retire without an answer for what the maker has now, or a free contract (§6, §6.1)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const facts = readFacts(snapshot)
      for (const key of withState(decide(snapshot).asks, "retire")) {
        const why = isAnswered(facts, key)
          ? "answered"
          : isOpenedNoMore(facts, key)
          ? "opened no more"
          : isFree(facts, key)
          ? "free"
          : "nobody agreed"
        expect(why, key).not.toBe("nobody agreed")
        met.count(why)
      }
    }),
    400
  )
  met.atLeast({ answered: 15, "opened no more": 8, free: 15 })
})

// A seat's holder that answers by running alone takes over at once, and what another node once made is needed no more.
const heldPerConsumer = ({ facts, held }: HeldMesh): ReadonlyArray<Held> =>
  held.filter(({ claim, provider }) => providedOf(facts, provider.module, claim.provision)?.credential !== "none")

// An answer that is lost is still the operator's word, and so are a definition's: neither is what is asked about here.
const isNotANeed = ({ bucket }: Place): boolean => bucket !== "mesh-provisioner_needs"

const lossOfOthers = lossOf(coherentMesh, { absent: isNotANeed })

test("while its need is there, nothing absent or garbled has what is held undone, even where it is free or an answer waits (§6)", () => {
  const met = new Met()
  check(
    fc.property(lossOfOthers, ({ after, before, lost }) => {
      const { asks } = decide(after)
      for (const { by, claim, provider } of heldPerConsumer(heldIn(before))) {
        const key = `${join(by, provider.module)}.${claim.key}`
        const state = asks.get(key)?.state
        expect(state, `${key} after ${JSON.stringify(lost)}`).not.toBe("retire")
        expect(state, `${key} after ${JSON.stringify(lost)}`).not.toBe("unneeded")
        met.count(state ?? "entry lost")
        met.count(
          asks.has(key) && providedOf(readFacts(after), provider.module, claim.provision)?.retire === "free"
            ? "free"
            : "to be asked"
        )
      }
    }),
    300
  )
  met.atLeast({ wanted: 65, held: 60, "entry lost": 15, free: 30 })
})

/** Losses of a mesh in which nobody answered and nothing is free: all that could have something undone is loss. */
const lossWithoutConsent: fc.Arbitrary<Loss> = lossOf(
  coherentMesh.map(({ buckets: { "mesh-provisioner_answers": _answers, ...buckets } }) => ({
    buckets: Object.fromEntries(
      Object.entries(buckets).map(([bucket, values]) => [
        bucket,
        bucket === "mesh-controller_modules" ? JSON.parse(JSON.stringify(values).replaceAll(`"free"`, `"ask"`)) : values
      ])
    )
  })),
  { buckets: (bucket) => bucket.endsWith("_bound") }
)

test("where nobody answered and nothing is free, nothing absent or garbled makes anything retire (the second idea, §6)", () => {
  const met = new Met()
  check(
    fc.property(lossWithoutConsent, ({ after, before, lost }) => {
      const facts = readFacts(after)
      const { asks } = decide(after)
      const retired = withState(asks, "retire").filter((key) => !isOpenedNoMore(facts, key))
      expect(retired, JSON.stringify(lost)).toEqual([])
      const turned = withState(asks, "unneeded", "held").filter((key) =>
        decide(before).asks.get(key)?.state === "wanted"
      )
      met.count("wanted no more", turned.length)
      met.count("lost", lost.length)
    }),
    200
  )
  met.atLeast({ "wanted no more": 40, lost: 400 })
})

test("a credential that is wanted of nobody is retired once what it opens is, and not before, whatever is lost (§6.1)", () => {
  const met = new Met()
  check(
    fc.property(lossWithoutConsent, ({ after }) => {
      const facts = readFacts(after)
      const { asks } = decide(after)
      const wanted = new Set(withState(asks, "wanted").map((key) => asked(key).claim))
      for (const [key, { state }] of [...asks].filter(([key]) => asked(key).isCredential)) {
        const isOver = !wanted.has(asked(key).claim) && isOpenedNoMore(facts, key)
        expect(state === "retire", `${key} is ${state}`).toBe(isOver)
        met.count(state)
      }
    }),
    200
  )
  met.atLeast({ retire: 1, held: 50, unneeded: 10, wanted: 50 })
})

test("a consumer with a need out of shape has nothing undone, and is asked about nothing (§6)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const facts = readFacts(snapshot)
      const garbled = new Set([
        ...facts.needs.filter(({ value }) => value === undefined).map(({ names: [node = "", module = ""] }) =>
          join(node, module)
        ),
        ...facts.needKeysOutOfShape.map((key) => key.split(".", 2).join("."))
      ])
      const { asks } = decide(snapshot)
      for (const [key, { state }] of asks) {
        const { consumer, isCredential } = asked(key)
        if (garbled.has(keyOf(consumer)) && !isCredential) {
          expect(["wanted", "held"], key).toContain(state)
          met.count(state)
        }
      }
    }),
    400
  )
  met.atLeast({ wanted: 15, held: 15 })
})

test("no claim is wanted of two (§6, §6.1)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const claims = withState(decide(snapshot).asks, "wanted").map((key) => asked(key).claim)
      expect(new Set(claims).size).toBe(claims.length)
      met.count("wanted", claims.length)
    }),
    200
  )
  met.atLeast({ wanted: 200 })
})

test("nothing made is forgotten: every maker of an entry in shape has an ask, and no other but whoever is wanted (§6)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const facts = readFacts(snapshot)
      const { asks } = decide(snapshot)
      const made = [...facts.bound].flatMap(([module, entries]) =>
        entries.flatMap(({ key, value }) =>
          value === undefined ? [] : makersOf(value).map((node) => `${join(node, module)}.${key}`)
        )
      ).filter((key) => key.length <= 1_024)
      expect(made.filter((key) => !asks.has(key))).toEqual([])
      expect(withState(asks, "held", "unneeded", "kept", "retire").filter((key) => !made.includes(key))).toEqual([])
      met.count("made", made.length)
      met.count("wanted anew", asks.size - made.length)
    }),
    200
  )
  met.atLeast({ made: 300, "wanted anew": 50 })
})

test("every ask says why, for which instance, and whether the provider module is gone from its node (§6)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const facts = readFacts(snapshot)
      for (const [key, ask] of decide(snapshot).asks) {
        const { consumer, maker } = asked(key)
        expect(ask.why).not.toBe("")
        expect(ask.for).toBe(assignmentOf(facts, consumer)?.instance)
        expect(ask.gone === true).toBe(assignmentOf(facts, maker) === undefined)
        expect(ask.accepts !== undefined).toBe(ask.state === "wanted" && asked(key).isCredential)
        met.count(ask.gone === true ? "gone" : "there")
        met.count(ask.for === undefined ? "of no instance" : "of an instance")
      }
    }),
    150
  )
  met.atLeast({ gone: 50, there: 100, "of no instance": 50, "of an instance": 50 })
})

test("an answer stays until its ask is wanted, or it is about another thing than is there (§6)", () => {
  const met = new Met()
  check(
    fc.property(anyMesh, (snapshot) => {
      const facts = readFacts(snapshot)
      const { answersToDelete, asks } = decide(snapshot)
      for (const { key, value } of facts.answers) {
        const { claim, maker } = asked(key)
        const entry = entryAt(facts, maker.module, claim)?.value
        const isMade = entry !== undefined && makersOf(entry).includes(maker.node)
        const isOver = asks.get(key)?.state === "wanted" || (entry !== undefined && !isMade) ||
          (isMade && value?.answer === "retire" && !isAnswered(facts, key))
        expect(answersToDelete.includes(key), key).toBe(value !== undefined && isOver)
        met.count(isOver ? "over" : "waits")
        expect(isThere(snapshot, { bucket: "mesh-provisioner_answers", key })).toBe(true)
      }
    }),
    200
  )
  met.atLeast({ over: 30, waits: 30 })
})

test("an operator's keep is kept, and only what nobody needs is kept or asked about (§6)", () => {
  const met = new Met()
  check(
    fc.property(coherentMesh, (snapshot) => {
      const mesh = heldIn(snapshot)
      const held = heldPerConsumer(mesh)
      const { asks } = mesh.decisions
      for (const [key, { state }] of asks) {
        const isKept = objectAt(snapshot, { bucket: "mesh-provisioner_answers", key })?.["answer"] === "keep"
        if (state === "kept" || state === "unneeded") {
          expect(isKept).toBe(state === "kept")
          expect(held.some(({ by, claim, provider }) => key === `${join(by, provider.module)}.${claim.key}`)).toBe(
            false
          )
          met.count(state)
        } else if (isKept && state === "retire") {
          expect(isOpenedNoMore(mesh.facts, key)).toBe(true)
        }
      }
    }),
    200
  )
  met.atLeast({ kept: 12, unneeded: 60 })
})
