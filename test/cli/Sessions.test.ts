/**
 * Goal: the sessions of `docs/cli.md` that are held with a bus print what stands there.
 *
 * Method: each is run on a server of its own, on which `serve` runs, with the facts of the file that the session names;
 * `vitest -u` writes down what they print now, for a person to read and judge.
 */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { act } from "../adapters/nats/Ground.ts"
import { withRealOutputOnBus } from "../docs/Console.ts"
import { run, start } from "./Bin.ts"
import { onBus } from "./Bus.ts"

const docs = join(import.meta.dirname, "..", "..", "docs", "cli.md")

/** Runs within what is around a mesh on which `serve` has decided. */
const onMeshOf = (file: string, use: (env: { readonly [name: string]: string }) => void): Promise<void> =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const { server: { url } } = yield* onBus(JSON.parse(readFileSync(file, "utf8")))
    const serve = start(["serve", "--bus", url])
    yield* Effect.addFinalizer(() => Effect.sync(() => serve.kill("SIGKILL")))
    for (let looks = 0; looks < 50 && (yield* act(() => run(["show", "--bus", url]))).exitCode !== 0; looks++) {
      yield* Effect.sleep("100 millis")
    }
    use({ NATS_URL: url })
  })))

describe("docs/cli.md", () => {
  it("shows what the commands print on a bus", async () => {
    const text = readFileSync(docs, "utf8")
    expect(text.match(/^```console bus /gm)?.length).toBeGreaterThan(2)
    await expect(await withRealOutputOnBus(text, "examples/shop", onMeshOf)).toMatchFileSnapshot(docs)
  })
})
