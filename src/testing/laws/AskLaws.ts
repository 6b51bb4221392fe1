/**
 * Asks (protocol §6): what was made for a consumer is held until it is known to be needed no more. Nothing absent, garbled or
 * late has anything undone, and nothing is undone that nobody agreed to.
 */
import type * as fc from "fast-check"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { type Loss, lossOf } from "../arbitrary/Loss.ts"
import { objectAt, type Place } from "../arbitrary/Snapshots.ts"
import { readFacts } from "../naive/facts.ts"
import { assignmentOf, entryAt, keyOf, makersOf, providedOf } from "../naive/mesh.ts"
import { join } from "../naive/name.ts"
import { asked, isAnswered, isFree, isOpenedNoMore, madeIn, sayAsk, withState } from "./Asked.ts"
import { must, same, shown } from "./Broken.ts"
import { anyMesh, meshLaw, turnLaw } from "./Cases.ts"
import { type Held, heldIn, type HeldMesh } from "./Held.ts"

const nothingUnagreed = meshLaw({
  sentence: "nothing becomes retire without an answer for what the maker has now, or a free contract",
  paragraph: "§6, §6.1",
  cases: anyMesh,
  runs: 400,
  atLeast: { answered: 15, "opened no more": 8, free: 15 },
  holds: (decide, mesh, met) => {
    const facts = readFacts(mesh)
    const { asks } = decide(mesh)
    for (const key of withState(asks, "retire")) {
      const why = isAnswered(facts, key)
        ? "answered"
        : isOpenedNoMore(facts, key)
        ? "opened no more"
        : isFree(facts, key)
        ? "free"
        : undefined
      must(why !== undefined, () => `${sayAsk(asks, key)} Nobody agreed to it.`)
      met.count(why ?? "")
    }
  }
})

// A seat's holder that answers by running alone takes over at once, and what another node once made is needed no more.
const heldPerConsumer = ({ facts, held }: HeldMesh): ReadonlyArray<Held> =>
  held.filter(({ claim, provider }) => providedOf(facts, provider.module, claim.provision)?.credential !== "none")

// An answer that is lost is still the operator's word, and so are a definition's: neither is what is asked about here.
const isNotANeed = ({ bucket }: Place): boolean => bucket !== "mesh-provisioner_needs"

const heldWhileNeeded = turnLaw<Loss>({
  sentence:
    "while its need is there, nothing absent or garbled has what is held undone, even where it is free or an answer waits",
  paragraph: "§6",
  cases: lossOf(coherentMesh, { absent: isNotANeed }),
  runs: 300,
  atLeast: { wanted: 65, held: 60, "entry lost": 15, free: 30 },
  holds: (decide, { after, before }, met) => {
    const { asks } = decide(after)
    for (const { by, claim, provider } of heldPerConsumer(heldIn(decide, before))) {
      const key = `${join(by, provider.module)}.${claim.key}`
      const state = asks.get(key)?.state
      must(state !== "retire" && state !== "unneeded", () => `${sayAsk(asks, key)} It was held before.`)
      met.count(state ?? "entry lost")
      met.count(
        asks.has(key) && providedOf(readFacts(after), provider.module, claim.provision)?.retire === "free"
          ? "free"
          : "to be asked"
      )
    }
  }
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

const nothingUndoneByLoss = turnLaw<Loss>({
  sentence: "where nobody answered and nothing is free, nothing absent or garbled makes anything retire",
  paragraph: "the second idea, §6",
  cases: lossWithoutConsent,
  runs: 200,
  atLeast: { "wanted no more": 40, lost: 400 },
  holds: (decide, { after, before, lost }, met) => {
    const facts = readFacts(after)
    const { asks } = decide(after)
    for (const key of withState(asks, "retire")) {
      must(isOpenedNoMore(facts, key), () => `${sayAsk(asks, key)} Nobody agreed to it.`)
    }
    const wanted = new Set(withState(decide(before).asks, "wanted"))
    met.count("wanted no more", withState(asks, "unneeded", "held").filter((key) => wanted.has(key)).length)
    met.count("lost", lost.length)
  }
})

const credentials = turnLaw<Loss>({
  sentence: "a credential that is wanted of nobody is retired once what it opens is, and not before, whatever is lost",
  paragraph: "§6.1",
  cases: lossWithoutConsent,
  runs: 200,
  atLeast: { retire: 1, held: 50, unneeded: 10, wanted: 50 },
  holds: (decide, { after }, met) => {
    const facts = readFacts(after)
    const { asks } = decide(after)
    const wanted = new Set(withState(asks, "wanted").map((key) => asked(key).claim))
    for (const [key, { state }] of [...asks].filter(([key]) => asked(key).isCredential)) {
      const isOver = !wanted.has(asked(key).claim) && isOpenedNoMore(facts, key)
      must(
        (state === "retire") === isOver,
        () =>
          `${sayAsk(asks, key)} ${isOver ? "What it opens is undone" : "What it opens is not undone, or it is wanted"}.`
      )
      met.count(state)
    }
  }
})

const garbledNeed = meshLaw({
  sentence: "a consumer with a need out of shape has nothing undone, and is asked about nothing",
  paragraph: "§6",
  cases: anyMesh,
  runs: 400,
  atLeast: { wanted: 15, held: 15 },
  holds: (decide, mesh, met) => {
    const facts = readFacts(mesh)
    const garbled = new Set([
      ...facts.needs.filter(({ value }) => value === undefined).map(({ names: [node = "", module = ""] }) =>
        join(node, module)
      ),
      ...facts.needKeysOutOfShape.map((key) => key.split(".", 2).join("."))
    ])
    const { asks } = decide(mesh)
    for (const [key, { state }] of asks) {
      const { consumer, isCredential } = asked(key)
      if (garbled.has(keyOf(consumer)) && !isCredential) {
        must(["wanted", "held"].includes(state), () => `${sayAsk(asks, key)} A need of that consumer is out of shape.`)
        met.count(state)
      }
    }
  }
})

const oneWanted = meshLaw({
  sentence: "no claim is wanted of two",
  paragraph: "§6, §6.1",
  cases: anyMesh,
  runs: 200,
  atLeast: { wanted: 200 },
  holds: (decide, mesh, met) => {
    const keys = withState(decide(mesh).asks, "wanted")
    for (const [claim, wanted] of Map.groupBy(keys, (key) => asked(key).claim)) {
      must(wanted.length === 1, `${claim} is wanted of ${wanted.join(" and of ")}.`)
    }
    met.count("wanted", keys.length)
  }
})

const nothingForgotten = meshLaw({
  sentence:
    "nothing made is forgotten: every maker of an entry in shape has an ask, and no other but whoever is wanted",
  paragraph: "§6",
  cases: anyMesh,
  runs: 200,
  atLeast: { made: 300, "wanted anew": 50 },
  holds: (decide, mesh, met) => {
    const { asks } = decide(mesh)
    const made = madeIn(readFacts(mesh))
    const forgotten = made.find((key) => !asks.has(key))
    must(forgotten === undefined, `There is no ask ${forgotten}, and its maker made something.`)
    const unmade = withState(asks, "held", "unneeded", "kept", "retire").find((key) => !made.includes(key))
    must(unmade === undefined, () => `${sayAsk(asks, unmade ?? "")} Nothing was made there.`)
    met.count("made", made.length)
    met.count("wanted anew", asks.size - made.length)
  }
})

const wholeAsk = meshLaw({
  sentence: "every ask says why, for which instance, and whether the provider module is gone from its node",
  paragraph: "§6",
  cases: anyMesh,
  runs: 150,
  atLeast: { gone: 50, there: 100, "of no instance": 50, "of an instance": 50 },
  holds: (decide, mesh, met) => {
    const facts = readFacts(mesh)
    for (const [key, ask] of decide(mesh).asks) {
      const { consumer, isCredential, maker } = asked(key)
      must(ask.why !== "", `The ask ${key} does not say why.`)
      same(ask.for, assignmentOf(facts, consumer)?.instance, `The instance that the ask ${key} is for`)
      same(ask.gone === true, assignmentOf(facts, maker) === undefined, `Whether the maker of the ask ${key} is gone`)
      same(
        ask.accepts !== undefined,
        ask.state === "wanted" && isCredential,
        `Whether the ask ${key} says who accepts it`
      )
      met.count(ask.gone === true ? "gone" : "there")
      met.count(ask.for === undefined ? "of no instance" : "of an instance")
    }
  }
})

const answersStay = meshLaw({
  sentence: "an answer stays until its ask is wanted, or it is about another thing than is there",
  paragraph: "§6",
  cases: anyMesh,
  runs: 200,
  atLeast: { over: 30, waits: 30 },
  holds: (decide, mesh, met) => {
    const facts = readFacts(mesh)
    const { answersToDelete, asks } = decide(mesh)
    for (const { key, value } of facts.answers) {
      const { claim, maker } = asked(key)
      const entry = entryAt(facts, maker.module, claim)?.value
      const isMade = entry !== undefined && makersOf(entry).includes(maker.node)
      const isOver = asks.get(key)?.state === "wanted" || (entry !== undefined && !isMade) ||
        (isMade && value?.answer === "retire" && !isAnswered(facts, key))
      same(answersToDelete.includes(key), value !== undefined && isOver, `Whether the answer ${key} is deleted`)
      met.count(isOver ? "over" : "waits")
    }
    const unknown = answersToDelete.find((key) => !facts.answers.some((answer) => answer.key === key))
    must(unknown === undefined, `The answer ${shown(unknown)} is deleted, and is not there.`)
  }
})

const keepIsKept = meshLaw({
  sentence: "an operator's keep is kept, and only what nobody needs is kept or asked about",
  paragraph: "§6",
  cases: coherentMesh,
  runs: 200,
  atLeast: { kept: 12, unneeded: 60 },
  holds: (decide, mesh, met) => {
    const all = heldIn(decide, mesh)
    const held = new Set(
      heldPerConsumer(all).map(({ by, claim, provider }) => `${join(by, provider.module)}.${claim.key}`)
    )
    const { asks } = all.decisions
    for (const [key, { state }] of asks) {
      const isKept = objectAt(mesh, { bucket: "mesh-provisioner_answers", key })?.["answer"] === "keep"
      if (state === "kept" || state === "unneeded") {
        must(
          isKept === (state === "kept"),
          () => `${sayAsk(asks, key)} The operator says ${isKept ? "keep" : "nothing"}.`
        )
        must(!held.has(key), () => `${sayAsk(asks, key)} It is needed.`)
        met.count(state)
      } else if (isKept && state === "retire") {
        must(isOpenedNoMore(all.facts, key), () => `${sayAsk(asks, key)} The operator says keep.`)
      }
    }
  }
})

/** The laws of asks, in the order of the protocol. */
export const askLaws = [
  nothingUnagreed,
  heldWhileNeeded,
  nothingUndoneByLoss,
  credentials,
  garbledNeed,
  oneWanted,
  nothingForgotten,
  wholeAsk,
  answersStay,
  keepIsKept
]
