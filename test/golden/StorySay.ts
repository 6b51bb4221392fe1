/**
 * What changes between two sets of decisions, in words: `+` is new, `~` another than before, `-` gone. Of a decision that is
 * another, what is another is said.
 */
import type {
  Ask,
  Decisions,
  Find,
  ModuleOn,
  Plan,
  Provision,
  RegistryEntry,
  SeatFind,
  Waits
} from "mesh-provisioner/core"

/** A decision in words: what its line says of it, and what stands below, each with its label. */
interface Said {
  readonly head: string
  readonly below: ReadonlyMap<string, string>
}

/** Everything that changes, a line each, with the lines that explain it below it. */
export const changesSaid = (before: Decisions, after: Decisions): ReadonlyArray<string> => [
  ...mapChanges("registry", before.registry, after.registry, saidEntry),
  ...mapChanges("provision", before.provisions, after.provisions, saidProvision),
  ...mapChanges("ask", before.asks, after.asks, saidAsk),
  ...mapChanges("plan", plansSaid(before), plansSaid(after), (said) => said),
  ...listChanges("out of shape", before.outOfShape, after.outOfShape, ({ bucket, key }) => `${bucket} ${key}`),
  ...listChanges("conflict", before.conflicts, after.conflicts, ({ kind, module }) => `${kind} of ${module}`),
  ...listChanges(
    "answer to be deleted",
    before.answersToDelete.map((key) => ({ key, why: "" })),
    after.answersToDelete.map((key) => ({ key, why: "" })),
    ({ key }) => key
  )
]

const mapChanges = <A>(
  what: string,
  before: ReadonlyMap<string, A>,
  after: ReadonlyMap<string, A>,
  say: (value: A) => Said
): Iterable<string> => {
  const changes: Array<Change> = []
  for (const key of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const change = changeOf(
      ...[before.get(key), after.get(key)].map((value) => value === undefined ? undefined : say(value))
    )
    if (change !== undefined) {
      changes.push({ key, ...change })
    }
  }
  return changeLines(what, changes)
}

/** How one decision changes: its sign, what its line says behind the key, and the lines below. */
interface Change {
  readonly key: string
  readonly sign: "+" | "~" | "-"
  readonly head: string
  readonly below: ReadonlyArray<string>
}

const changeOf = (old?: Said, now?: Said): Omit<Change, "key"> | undefined => {
  if (now === undefined) {
    return { sign: "-", head: "", below: [] }
  }
  if (old === undefined) {
    return { sign: "+", head: now.head, below: [...belowLines(now.below)] }
  }
  const [changed, gone] = difference(old, now)
  return old.head === now.head && changed.size + gone.length === 0 ? undefined : {
    sign: "~",
    head: `${old.head}${old.head === now.head ? "" : ` -> ${now.head.slice(2)}`}`,
    below: [...belowLines(changed), ...gone.map((label) => `    no ${label}`)]
  }
}

/** The lines of changes; several in a row that differ by their keys alone are said as one. */
const changeLines = function*(what: string, changes: ReadonlyArray<Change>): Iterable<string> {
  const alike = new Map<string, { readonly change: Change; readonly keys: Array<string> }>()
  for (const change of changes) {
    const same = JSON.stringify([change.sign, change.head, change.below])
    const found = alike.get(same) ?? { change, keys: [] }
    alike.set(same, found)
    found.keys.push(change.key)
  }
  for (const { change: { below, head, sign }, keys } of alike.values()) {
    yield `${sign} ${what} ${keys.join(", ")}${head}`
    yield* below
  }
}

const difference = (
  old: Said,
  now: Said
): readonly [changed: ReadonlyMap<string, string>, gone: ReadonlyArray<string>] => [
  new Map([...now.below].filter(([label, text]) => old.below.get(label) !== text)),
  [...old.below.keys()].filter((label) => label !== "why" && !now.below.has(label))
]

const belowLines = function*(below: ReadonlyMap<string, string>): Iterable<string> {
  for (const [label, text] of below) {
    yield* text.split("\n").map((line) => label === "why" ? `    ${line}` : `    ${label}: ${line}`)
  }
}

const listChanges = function*<A extends { readonly why: string }>(
  what: string,
  before: ReadonlyArray<A>,
  after: ReadonlyArray<A>,
  name: (item: A) => string
): Iterable<string> {
  const list = (items: ReadonlyArray<A>) =>
    new Map(
      items.map((item) => [name(item), { head: "", below: said(["why", item.why === "" ? undefined : item.why]) }])
    )
  yield* mapChanges(what, list(before), list(after), (item) => item)
}

// --- each kind of decision ---------------------------------------------------------------------------------------

const said = (
  ...below: ReadonlyArray<readonly [label: string, text: string | undefined]>
): ReadonlyMap<string, string> =>
  new Map(below.flatMap(([label, text]) => text === undefined ? [] : [[label, text] as const]))

const saidEntry = ({ find, module }: RegistryEntry): Said => ({
  head: `: ${module}`,
  below: said(["found at", sayFind(find)])
})

const saidProvision = ({ candidates, find, provider, reason, state, version, waits, why }: Provision): Said => ({
  head: `: ${state} (${reason})`,
  below: said(
    ["why", why],
    ["provider", provider && on(provider)],
    ["found at", find && sayFind(find)],
    ["version", version && sayDigest(version)],
    ["waits for", waits && sayKey(waits)],
    ["candidates", candidates?.map((candidate) => `${on(candidate)} (${candidate.reason})`).join(", ")]
  )
})

const saidAsk = ({ accepts, contract, fields, for: instance, gone, state, why }: Ask): Said => ({
  head: `: ${state}`,
  below: said(
    ["why", why],
    ["for", instance],
    ["contract", contract?.join(", ")],
    ["fields", fields?.join(", ")],
    ["accepts", accepts?.map(on).join(", ")],
    ["gone", gone && "the module is not assigned to that node"]
  )
})

const plansSaid = ({ plans, provisions }: Decisions): ReadonlyMap<string, Said> =>
  new Map([...plans].map(([key, plan]) => [key, saidPlan(key, plan, provisions)]))

const saidPlan = (
  key: string,
  { blocked = [], build, digest, needs, state, waits, why }: Plan,
  provisions: Decisions["provisions"]
): Said => {
  // Where a plan repeats the words of a need's provision, they stand there.
  const repeated = blocked.flatMap((need) => provisions.get(`${key}.${need}`)?.why ?? [])
  const shortened = repeated.reduce((text, words) => text.replace(`: ${words}`, ": …"), why)
  return {
    head: `: ${state}`,
    below: said(
      ["why", shortened === "" ? undefined : shortened],
      ["build", build],
      ["needs", Object.entries(needs).map(([need, { state }]) => `${need} ${state}`).sort().join(", ") || undefined],
      ["waits for", waits && sayKey(waits)],
      ["blocked by", blocked.length === 0 ? undefined : blocked.join(", ")],
      ["digest", sayDigest(digest)]
    )
  }
}

const on = ({ module, node }: ModuleOn): string => `${module} on ${node}`

const sayKey = ({ bucket, key }: Waits): string => `${bucket} ${key}`

const sayDigest = (digest: string): string => digest.slice(0, 8)

const sayFind = (find: Find): string =>
  "seat" in find
    ? saySeat(find)
    : [
      `${sayKey(find)}${find.at === undefined ? "" : ` at ${find.at.join(", ")}`}`,
      ...Object.entries(find.credentials ?? {}).map(([field, seat]) => `${field} by ${saySeat(seat)}`)
    ].join("; ")

const saySeat = ({ request, seat, verb }: SeatFind): string =>
  `verb ${verb} of seat ${seat}${request === undefined ? "" : ` for ${Object.values(request).join(", ")}`}`
