/**
 * The benchmarks: `npm run bench`, each row beside the limit that is measured in the same run.
 *
 * - `-- --quick` takes a minute: smaller meshes and fewer rounds, as each row says.
 * - `-- --only NAME` takes the rows of that name, or all whose names begin with it and a dot; it may be given more than once.
 * - `-- --needs N` takes meshes of so many needs.
 * - `-- --json` prints one JSON document, when all is measured.
 *
 * It ends with 0 where everything could be measured, whatever came of it; 1 where something could not, 2 where it is asked wrongly.
 * `docs/performance.md` says how to read a row.
 */
import { parseArgs } from "node:util"
import { benchmarks } from "./benchmarks.ts"
import { coloured, linesOf, plain } from "./Print.ts"
import { isAskedBy, type Row, type Run } from "./Row.ts"

const help = `npm run bench -- [--quick] [--only NAME]… [--needs N] [--json]
NAME: ${benchmarks.map(({ name }) => name).join(", ")}, or a row's`

interface Options {
  readonly run: Run
  readonly isJson: boolean
}

const clearLine = "\r\u001B[K"

/** What the command line asks for, or what is wrong with it. */
const optionsOf = (words: ReadonlyArray<string>): Options | string => {
  try {
    const { values: { json, needs, only, quick } } = parseArgs({
      args: [...words],
      options: {
        json: { type: "boolean", default: false },
        needs: { type: "string" },
        only: { type: "string", multiple: true, default: [] },
        quick: { type: "boolean", default: false }
      }
    })
    const isAsked = isAskedBy(only)
    if (needs !== undefined && !/^[1-9]\d{0,7}$/u.test(needs)) {
      return `--needs ${needs}: how many needs the meshes are to have, as a whole number`
    }
    const unknown = only.find((one) => !benchmarks.some(({ name }) => isAskedBy([one])(name)))
    if (unknown !== undefined) {
      return `--only ${unknown}: there is no such row`
    }
    return {
      isJson: json,
      run: {
        isQuick: quick,
        ...(needs === undefined ? {} : { needs: Number(needs) }),
        isAsked,
        at: (what) => {
          if (process.stderr.isTTY) {
            process.stderr.write(`${clearLine}${what} …`)
          }
        }
      }
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const measure = async ({ isJson, run }: Options): Promise<void> => {
  const isColoured = process.stdout.isTTY && process.env["NO_COLOR"] === undefined
  const rows: Array<Row> = []
  for (const { name, rows: rowsOf } of benchmarks.filter((one) => run.isAsked(one.name))) {
    run.at(name)
    for await (const row of rowsOf(run)) {
      rows.push(row)
      if (process.stderr.isTTY) {
        process.stderr.write(clearLine)
      }
      if (!isJson) {
        console.log(linesOf(row, isColoured ? coloured : plain).join("\n"))
      }
    }
  }
  if (rows.length === 0) {
    throw new Error("no row has that name")
  }
  if (isJson) {
    console.log(JSON.stringify({ isQuick: run.isQuick, node: process.version, rows }))
  }
}

const options = optionsOf(process.argv.slice(2))
if (typeof options === "string") {
  console.error(`${options}\n${help}`)
  process.exitCode = 2
} else {
  await measure(options)
}
