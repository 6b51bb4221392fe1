/**
 * Runs snippets, one after the other, in a process of its own: `node run.ts FILE…`. Each is a module beside this file. For
 * each, a line of JSON: how many stated values were looked at, and what went wrong.
 */
import { writeSync } from "node:fs"
import { checked } from "./check.ts"

// What a snippet prints is not an answer.
console.log = () => undefined

for (const file of process.argv.slice(2)) {
  checked.checks = 0
  checked.faults = []
  try {
    await import(new URL(file, import.meta.url).href)
  } catch (error) {
    checked.faults.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
  }
  writeSync(1, `${JSON.stringify({ file, ...checked })}\n`)
}
