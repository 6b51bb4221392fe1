/**
 * Checks the README's `npm start`: it comes up on its example mesh, says what it decides, and Ctrl-C ends it cleanly.
 */
import { spawn } from "node:child_process"
import { join } from "node:path"

const secondsMax = 60

/** A line that says that something is provided: the mesh is decided, and what is decided is written. */
const provided = /mesh-provisioner_provisions \S+ provided/

const child = spawn("npm", ["start"], {
  cwd: join(import.meta.dirname, ".."),
  // A group of its own: Ctrl-C in a terminal reaches npm and all that it has started.
  detached: true,
  stdio: ["ignore", "pipe", "pipe"]
})

const signal = (name: NodeJS.Signals): void => {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, name)
}

let output = ""
let interrupted = false
const take = (text: Buffer): void => {
  output += text.toString()
  if (interrupted || !provided.test(output)) return
  interrupted = true
  signal("SIGINT")
}
child.stdout.on("data", take)
child.stderr.on("data", take)

const tooLate = setTimeout(() => {
  output += `\nnpm start was ${
    interrupted ? "not over" : "without a line that it provides anything"
  } after ${secondsMax} s\n`
  signal("SIGKILL")
}, secondsMax * 1000)

child.on("close", (code) => {
  clearTimeout(tooLate)
  if (interrupted && code === 0) return
  console.error(output.trimEnd())
  console.error(
    interrupted
      ? `npm start ended with ${code} after Ctrl-C.`
      : `npm start ended with ${code} and without a line that it provides anything.`
  )
  process.exitCode = 1
})
