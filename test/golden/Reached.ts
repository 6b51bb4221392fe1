/**
 * Which pieces of source code were run, down to each branch, as the JavaScript engine counts them. It counts only what is
 * loaded after it was told to: `countFromNow` goes before the import of what is to be counted.
 */
import { Session } from "node:inspector/promises"

/** A source that was loaded, and the text of every piece of it that was never run. */
export interface Source {
  readonly path: string
  readonly neverRun: ReadonlyArray<string>
}

/** Counts from now on. The function that it gives ends the counting, and gives every source that was loaded since. */
export const countFromNow = async (): Promise<() => Promise<ReadonlyArray<Source>>> => {
  const session = new Session()
  session.connect()
  await session.post("Debugger.enable")
  await session.post("Profiler.enable")
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
  return async () => {
    const { result } = await session.post("Profiler.takePreciseCoverage")
    const sources: Array<Source> = []
    for (const { functions, scriptId, url } of result.filter(({ url }) => url.includes("/src/"))) {
      const { scriptSource } = await session.post("Debugger.getScriptSource", { scriptId })
      const never = functions.flatMap(({ ranges }) => ranges.filter(({ count }) => count === 0))
      sources.push({
        path: url.slice(url.lastIndexOf("/src/") + 1),
        neverRun: never.map(({ endOffset, startOffset }) => lineOf(scriptSource.slice(startOffset, endOffset)))
          .filter((piece) => !ofTheLoader.test(piece))
      })
    }
    session.disconnect()
    return sources
  }
}

/** What the tests' loader puts into a source: how it exports each of its names. */
const ofTheLoader = /^(?:\(\) => \{ try \{ return \w+ \} catch \{\} \}|catch \{\})$/

const lineOf = (text: string): string =>
  text.replaceAll(/__vite_ssr_import_\d+__\./g, "").replaceAll(/\s+/g, " ").trim()
