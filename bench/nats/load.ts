/**
 * How long it takes from a provisioner's start to the last decision that is stored.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { decidedBuckets } from "../../src/core/Diff.ts"
import { decide, type Snapshot } from "../../src/core/index.ts"
import { databasesFor } from "../Mesh.ts"
import { quantile, ratios } from "./figures.ts"
import { fill, filled, party, provisioner, type Stage } from "./Stage.ts"

/** Measures it with so many needs, and says what it comes to. */
export const load = async (
  on: Stage,
  { needs, rounds }: { readonly needs: number; readonly rounds: number }
): Promise<string> => {
  const mesh = databasesFor(needs, false)
  const decisions = decidedBuckets(decide(mesh))
  const counts = new Map([...decisions].map(([bucket, { size }]) => [bucket, size]))
  const folder = mkdtempSync(join(tmpdir(), "mesh-provisioner-bench-"))
  const file = join(folder, "copy.json")
  writeFileSync(
    file,
    JSON.stringify({
      // The bare client's watch of an empty bucket says nothing at all.
      facts: Object.fromEntries(
        Object.entries(mesh.buckets).map(([bucket, values]) => [bucket, Object.keys(values).length])
          .filter(([, count]) => count !== 0)
      ),
      decisions: Object.fromEntries([...decisions].map(([bucket, values]) => [
        bucket,
        Object.fromEntries([...values].map(([key, value]) => [key, JSON.stringify(value)]))
      ]))
    })
  )
  const ours: Array<number> = []
  const bare: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    await refill(on, mesh)
    const started = performance.now()
    const decider = provisioner(on)
    ours.push(await filled(on, counts, 600_000) - started)
    await decider.stop()
    await refill(on, mesh)
    const copier = await party(on, "copy", file)
    const begun = performance.now()
    copier.tell({ begin: true })
    bare.push(await filled(on, counts, 600_000) - begun)
    await copier.stop()
  }
  rmSync(folder, { recursive: true })
  const seconds = (found: ReadonlyArray<number>) => `${(quantile(found, 0.5) / 1_000).toFixed(1)} s`
  return `load, ${needs} needs: ${seconds(ours)}; bare client ${seconds(bare)}; ratio ${ratios(ours, bare)}`
}

const refill = async (on: Stage, mesh: Snapshot): Promise<void> => {
  await on.clear(Object.keys(mesh.buckets))
  await fill(on, mesh)
}
