/**
 * The values of a wild mesh's facts, a bucket at a time: mostly in shape and of few names, so that they meet, sometimes
 * spoiled in one place, sometimes garbage.
 */
import * as fc from "fast-check"
import type { Json } from "../../core/Json.ts"

type Odds<Value> = readonly [weight: number, arbitrary: fc.Arbitrary<Value>]

const odds = <Value>(...all: ReadonlyArray<Odds<Value>>): fc.Arbitrary<Value> =>
  fc.oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })))

/** A constant by weight. */
export const pick = <const Value>(...all: ReadonlyArray<readonly [number, Value]>): fc.Arbitrary<Value> =>
  odds(...all.map(([weight, value]): Odds<Value> => [weight, fc.constant(value)]))

/** An object of the members that are drawn: each in one of so many cases. */
type Members = { readonly [name: string]: readonly [oneIn: number, arbitrary: fc.Arbitrary<Json>] }

const object = (members: Members): fc.Arbitrary<{ [name: string]: Json }> =>
  fc.tuple(
    ...Object.entries(members).map(([name, [oneIn, arbitrary]]) =>
      fc.tuple(
        fc.constant(name),
        oneIn === 1
          ? arbitrary
          : fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
      )
    )
  ).map((all) => Object.fromEntries(all.flatMap(([name, value]) => value === undefined ? [] : [[name, value]])))

const nested = (depth: number): Json => depth === 0 ? { deep: 0 } : [nested(depth - 1)]

/** Values that are out of most shapes, and some that only look odd. */
export const garbage: fc.Arbitrary<Json> = fc.constantFrom<Array<Json>>(
  null,
  true,
  0,
  -0,
  1.5,
  "",
  "x",
  "\uD800",
  "v1.2.3",
  "1.2",
  "^1 ||",
  [],
  ["n1"],
  [null],
  {},
  { "": 1 },
  JSON.parse(`{ "__proto__": { "build": "b1" } }`),
  nested(63),
  nested(64)
)

/** One member spoiled, as deep as the path goes: garbage in its place, or nothing. */
const spoilAt = (value: Json, [at = 0, ...rest]: ReadonlyArray<number>, by: Json | undefined): Json => {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) {
    return by ?? null
  }
  if (Array.isArray(value)) {
    return value.map((item: Json, index) => index === at % value.length ? by ?? null : item)
  }
  const names = Object.keys(value)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (name !== names[at % names.length]) {
        return [[name, member]]
      }
      return rest.length > 0 ? [[name, spoilAt(member, rest, by)]] : by === undefined ? [] : [[name, by]]
    })
  )
}

/** A value that is sometimes spoiled or garbage. */
export const wild = (good: fc.Arbitrary<Json>, rarity = 24): fc.Arbitrary<Json> =>
  odds<Json>(
    [rarity, good],
    [1, garbage],
    [
      2,
      fc.tuple(good, fc.array(fc.nat(7), { minLength: 1, maxLength: 3 }), fc.option(garbage, { nil: undefined }))
        .map(([value, path, by]) => spoilAt(value, path, by))
    ]
  )

export const node = pick([5, "n1"], [6, "n2"], [4, "n3"])
export const providerModule = pick([8, "postgres"], [4, "mysql"], [2, "dns"], [1, "mesh-vault"], [1, "shop"])
export const provision = pick([8, "database"], [3, "cache"], [3, "resolver"])
export const local = pick([6, undefined], [2, "main"])
const claimName = fc.tuple(provision, local).map((names) => names.filter((name) => name !== undefined).join("."))
const instance = pick([4, "i1"], [1, "i2"])
const build = pick([5, "b1"], [1, "b2"])
const seat = pick([3, "db"], [1, "vault"])
const words = pick([4, "no space left"], [1, ""], [1, `\uD800${"\u{1F511}".repeat(5_000)}`])
const flag = fc.boolean()

const version = pick([6, "1.4.0"], [2, "2.0.0"], [1, "1.0.0-rc.1"], [1, "1.2.3+build"], [1, "0.3.0"])
const range = pick(
  [20, "^1.0.0"],
  [12, "^2.0.0"],
  [4, ">=1.0.0-0"],
  [4, ""],
  [4, "1.x || 2"],
  [4, "0.0.0"],
  [1, "1".padStart(1_024)],
  [1, "1".padStart(1_025)]
)

const contractFields = object({
  host: [2, pick([9, "string"], [1, "integer"])],
  port: [2, fc.constant("integer")],
  on: [4, fc.constant("boolean")],
  password: [3, fc.constant("secret")],
  key: [6, fc.constant("secret")]
})

const provided = object({
  credential: [1, pick([5, "consumer"], [2, "none"])],
  contract: [2, wild(object({ version: [2, version], fields: [1, contractFields] }), 60)],
  retire: [3, pick([1, "ask"], [2, "free"])],
  seat: [6, seat]
})

const pattern = pick([3, "<node>.<name>"], [1, "<kind>.<module>.<name>"], [1, "all.a=2Eb"], [1, "<name>.<name>"])
const wrongPattern = pick<string>([1, ""], [1, "<name>.a=2db"], [1, "<local>"], [1, "a..b"])

const answering = (module: string): fc.Arbitrary<Json> =>
  wild(odds<Json>(
    [5, fc.record({ bucket: fc.constant(`${module}_licences`), key: pattern })],
    [3, fc.record({ seat, verb: fc.constantFrom("ask", "acme.ask") })],
    [1, fc.record({ bucket: fc.constant(`${module}_licences`), key: wrongPattern })],
    [
      1,
      fc.record({
        bucket: fc.constantFrom(`${module}_bound`, `${module}_x`, "other_cfg", `${module}_`, "mesh-controller_modules"),
        key: pattern
      })
    ],
    [1, fc.constant({ bucket: `${module}_licences`, key: "<name>", seat: "db", verb: "ask" })]
  ))

export const definition = (module: string): fc.Arbitrary<Json> =>
  wild(
    object({
      provides: [
        1,
        wild(
          object({
            database: [module === "postgres" || module === "mysql" ? 1 : 5, wild(provided, 40)],
            cache: [3, wild(provided)],
            resolver: [module === "dns" ? 1 : 4, wild(provided, 40)],
            secret: [25, provided],
            credential: [25, provided],
            "": [30, provided]
          }),
          120
        )
      ],
      answers: [
        3,
        wild(
          object({
            licence: [2, answering(module)],
            verbal: [2, answering(module)],
            config: [8, answering(module)],
            bound: [12, answering(module)],
            _epoch: [12, answering(module)]
          })
        )
      ],
      directories: [
        12,
        wild(object({ state: [1, fc.constant({ unknown: "program" })], "": [8, fc.constant({ unknown: "mesh" })] }), 3)
      ]
    }),
    60
  )

const pin = object({ node: [2, node], module: [2, providerModule] })
const pins = object({
  database: [2, pin],
  "database.main": [4, pin],
  cache: [4, pin],
  "data=62ase": [60, pin],
  "database.main.more": [60, pin]
})
const placement = object({
  port: [2, object({ title: [2, fc.constant(8_080)], api: [2, fc.constant({ "\uD800": null })] })],
  dir: [4, object({ title: [1, fc.constant("/var/lib")], "": [25, fc.constant(1)] })],
  other: [6, garbage]
})

export const assignment = wild(
  object({
    build: [1, build],
    instance: [3, instance],
    pins: [6, pins],
    placement: [4, placement],
    draining: [7, flag]
  }),
  60
)

export const machine = wild(object({
  site: [2, pick([3, "home"], [1, "away"])],
  seal: [6, fc.constant("XKEY")],
  lost: [4, flag]
}))

export const holder = (seat: string): fc.Arbitrary<Json> =>
  wild(
    seat === "vault"
      ? fc.record({ node: pick([1, "n2"], [6, "n3"]), module: pick([14, "mesh-vault"], [1, "postgres"]) })
      : fc.record({ node, module: providerModule }),
    60
  )

export const configValue = wild(object({ value: [1, fc.oneof(fc.constant("Shop"), garbage)] }))

export const have = wild(object({
  build: [1, build],
  health: [1, pick([8, "healthy"], [1, "starting"], [1, "unhealthy"], [1, "stopped"], [3, "failed"])],
  words: [3, words]
}))

const fieldNames = fc.uniqueArray(pick([4, "host"], [2, "port"], [1, "on"], [1, "password"], [1, "nothing"]), {
  maxLength: 2
})

export const need = wild(
  object({
    provision: [4, pick([6, "database"], [2, "cache"], [1, "resolver"], [1, "secret"], [1, "credential"])],
    local: [4, fc.constant("main")],
    contract: [4, range],
    fields: [5, fieldNames],
    optional: [4, flag],
    own: [3, pick([3, true], [1, false])],
    default: [5, fc.oneof(fc.constant("dark"), garbage)]
  }),
  45
)

const values = odds<Json>(
  [9, fc.constant({ host: "h", port: 5_432, on: true })],
  [
    3,
    object({
      host: [2, fc.constantFrom("h", "\uDC00", null)],
      port: [2, fc.constantFrom(1, -0, 1.5, 2 ** 53 - 1, 2 ** 53, "1")],
      on: [2, fc.constantFrom(false, 0)],
      password: [8, fc.constant("hunter2")]
    })
  ]
)

export const bound = (by: fc.Arbitrary<string>): fc.Arbitrary<Json> =>
  wild(
    object({
      state: [1, pick([9, "provided"], [2, "failed"], [3, "retired"], [1, "making"], [1, "undoing"])],
      why: [3, words],
      by: [1, by],
      also: [4, fc.array(node, { maxLength: 2 })],
      for: [5, instance],
      values: [1, values]
    }),
    30
  )

export const applied = wild(object({
  plan: [1, pick([9, "0".repeat(32)], [1, "0".repeat(31) + "A"])],
  build: [3, build],
  instance: [3, instance],
  own: [
    2,
    fc.array(fc.oneof({ weight: 20, arbitrary: claimName }, { weight: 1, arbitrary: fc.constant("a.b.c") }), {
      maxLength: 3
    })
  ]
}))

export const item: fc.Arbitrary<Json> = fc.oneof(fc.constantFrom<Array<Json>>({ line: "ls" }, 1e21, "\uD800"), garbage)
