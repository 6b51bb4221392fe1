/**
 * What Prometheus would read: a small parser of its text format, which takes nothing that is not written as it should be.
 */

/** One sample: its labels, and its number. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** One metric: what it is, what it means, and its samples. */
export interface Family {
  readonly type: string
  readonly help: string
  readonly samples: Array<Sample>
}

const sampleLine =
  /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\+Inf|-?[\d.]+(?:e[+-]?\d+)?)$/

const unescaped = (text: string): string =>
  text.replaceAll(/\\([\\"n])/g, (_, character: string) => character === "n" ? "\n" : character)

const sampleOf = (line: string): Sample => {
  const [, name = "", labels = "", value = ""] = sampleLine.exec(line) ?? []
  if (name === "") {
    throw new Error(`no sample: ${JSON.stringify(line)}`)
  }
  return {
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = "", text = ""]) => [label, unescaped(text)])
    ),
    value: value === "+Inf" ? Infinity : Number(value)
  }
}

/** Reads a scrape, and throws where a line is not as it should be, stands elsewhere, or says what was said already. */
export const parseScrape = (text: string): ReadonlyMap<string, Family> => {
  if (!text.endsWith("\n")) {
    throw new Error("no line break at the end")
  }
  const families = new Map<string, Family>()
  const seen = new Set<string>()
  let help: readonly [name: string, text: string] | undefined
  let current = ""
  for (const line of text.slice(0, -1).split("\n")) {
    const [, word, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (word === "HELP") {
      help = [name, rest]
    } else if (word === "TYPE") {
      if (help?.[0] !== name || families.has(name) || !/^(counter|gauge|histogram)$/.test(rest)) {
        throw new Error(`misplaced: ${line}`)
      }
      families.set(name, { type: rest, help: help[1], samples: [] })
      current = name
    } else {
      const sample = sampleOf(line)
      const family = families.get(current)
      const own = family?.type === "histogram" ? sample.name.replace(/_(bucket|sum|count)$/, "") : sample.name
      const series = line.slice(0, line.lastIndexOf(" "))
      if (family === undefined || own !== current || seen.has(series)) {
        throw new Error(`misplaced: ${line}`)
      }
      seen.add(series)
      family.samples.push(sample)
    }
  }
  return families
}

/** The one sample with these labels, and no other. */
export const sampled = (
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {}
): number | undefined =>
  families.get(name.replace(/_(bucket|sum|count)$/, ""))?.samples.concat(families.get(name)?.samples ?? []).find((
    sample
  ) =>
    sample.name === name && Object.keys(sample.labels).length === Object.keys(labels).length &&
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  )?.value
