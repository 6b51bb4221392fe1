/**
 * Words (protocol §5, §7): what is said to a person names modules, nodes and keys; a value of a fact is never said. Every value
 * of a coherent mesh holds a canary.
 */
import * as fc from "fast-check"
import type { Decisions } from "../../core/Decision.ts"
import type { Snapshot } from "../../core/Snapshot.ts"
import { canary, canaryNumber } from "../arbitrary/CoherentDraft.ts"
import { coherentMesh } from "../arbitrary/CoherentMesh.ts"
import { placesOf, put, valueAt } from "../arbitrary/Snapshots.ts"
import { must } from "./Broken.ts"
import { lossyMesh, meshLaw } from "./Cases.ts"
import { lawOf } from "./Law.ts"
import { sayProvision, tellMesh } from "./Tell.ts"

/** Breaks the law where a text holds a value of a fact. */
export const mustSayNoValue = (text: string): void => {
  const at = Math.max(text.indexOf(canary), text.indexOf(String(canaryNumber)))
  must(at === -1, () => `A value of a fact is said: …${text.slice(Math.max(0, at - 200), at + 40)}…`)
}

const textOf = ({ asks, conflicts, outOfShape, plans, provisions, registry }: Decisions): string =>
  JSON.stringify([...[registry, provisions, asks, plans].map((decided) => [...decided]), outOfShape, conflicts])

const noValueIsSaid = meshLaw({
  sentence: "no value of a fact appears in a plan, an ask, a provision, or what is said of facts out of shape",
  paragraph: "§5, §7",
  cases: fc.oneof(coherentMesh, lossyMesh),
  runs: 300,
  atLeast: { "mesh with values": 140, "said out of shape": 300 },
  holds: (decide, mesh, met) => {
    const decisions = decide(mesh)
    mustSayNoValue(textOf(decisions))
    met.count("mesh with values", JSON.stringify(mesh).includes(canary) ? 1 : 0)
    met.count("said out of shape", decisions.outOfShape.length)
  }
})

/** Words, of lengths on both sides of how much of a failure's own is said. */
const words = fc.tuple(fc.constantFrom("w", "𝄞", "é"), fc.constantFrom(300, 4_093, 4_094, 4_095, 5_000))
  .map(([unit, length]) => unit.repeat(length))

/** The mesh in which whoever speaks says so much. */
const speaking = (mesh: Snapshot, said: string): Snapshot =>
  placesOf(mesh).reduce((so, place) => {
    const value = valueAt(mesh, place)
    const isSpeaking = typeof value === "object" && value !== null && ("state" in value || "health" in value)
    return isSpeaking ? put(so, place, { ...value, why: said, words: said }) : so
  }, mesh)

const quotedToTheirEnd = lawOf({
  sentence: "words of others are quoted to 256 code points, and a failure's own to 4,096",
  paragraph: "§5",
  cases: fc.tuple(coherentMesh, words),
  runs: 150,
  atLeast: { failed: 10, quoted: 15, cut: 4 },
  tell: ([mesh]) => tellMesh(mesh),
  holds: (decide, [mesh, words], met) => {
    const marked = `«${words}»`
    const [quoted = "", more = "", whole] = [256, 257, 4_096].map((count) =>
      Array.from(marked).slice(0, count).join("")
    )
    for (const [key, provision] of decide(speaking(mesh, marked)).provisions) {
      const { reason, state, why } = provision
      if (why.includes("«")) {
        const isOwn = state === "failed" && reason !== "secret-in-bucket"
        must(
          isOwn ? why === whole : why.includes(quoted) && !why.includes(more),
          () =>
            `Of words of ${[...marked].length} code points ${[...why].length} are said. ${sayProvision(key, provision)}`
        )
        must(why.isWellFormed(), `The words of ${key} are cut within a character.`)
        met.count(isOwn ? "failed" : "quoted")
        met.count(isOwn && why !== marked ? "cut" : "whole")
      }
    }
  }
})

/** The laws of what is said. */
export const wordLaws = [noValueIsSaid, quotedToTheirEnd]
