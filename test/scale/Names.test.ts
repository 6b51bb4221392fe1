/**
 * Goal: the names that JavaScript's objects have of their own are names like any other, wherever a stranger writes one.
 *
 * Method: one mesh in which every name that can be is the same one, of every kind, decided once with such a name and once
 * with a harmless one in all its places. Both decisions are the same but for the name itself, and for what is digested
 * with it, which the twin digests too.
 */
import * as Result from "effect/Result"
import { describe, expect, test } from "vitest"
import { checkDefinition } from "../../src/core/Check.ts"
import { decide } from "../../src/core/Decide.ts"
import type { Decisions } from "../../src/core/Decision.ts"
import { diff, storedIn } from "../../src/core/Diff.ts"
import { explain } from "../../src/core/Explain.ts"
import { Facts } from "../../src/core/Facts.ts"
import type { Json } from "../../src/core/Json.ts"
import { query } from "../../src/core/Query.ts"
import { retire } from "../../src/core/Retire.ts"
import { parseSnapshot, type Snapshot } from "../../src/core/Snapshot.ts"
import { naiveDecide } from "../../src/testing/naive/decide.ts"

const hostile = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "then"]

/** Every place in which a stranger writes a name, with this one in it: as text, since it is to be read as a file is. */
const meshOf = (name: string): string =>
  JSON.stringify({
    buckets: {
      "mesh-controller_modules": {
        NAME: {
          provides: {
            NAME: {
              credential: "consumer",
              contract: { fields: { NAME: "string", secretly: "secret" } },
              seat: "NAME"
            },
            open: { credential: "none", seat: "NAME" },
            NAMEs: 7
          },
          answers: {
            NAME: { bucket: "NAME_NAME", key: "<node>.<module>.<kind>.<name>" },
            asked: { seat: "NAME", verb: "NAME" }
          },
          directories: { NAME: { unknown: "program" }, other: {} }
        },
        maker: {
          provides: { made: { credential: "consumer", contract: { fields: { NAME: "secret" } }, retire: "free" } }
        },
        broken: {
          provides: { NAME: { credential: "NAME" } },
          answers: { NAME: { bucket: "NAME" } },
          directories: "NAME"
        }
      },
      "mesh-controller_assignments": {
        "NAME.NAME": { build: "NAME", instance: "NAME", placement: { dir: { NAME: "/" }, NAME: { NAME: 1 } } },
        "NAME.shop": {
          build: "NAME",
          instance: "NAME",
          pins: { "NAME.NAME": { module: "NAME", node: "NAME" }, NAME: { module: "NAME" } },
          placement: { dir: { NAME: { NAME: "NAME" } }, port: { NAME: 80 } }
        },
        "NAME.maker": { build: "NAME" },
        "NAME.mesh-vault": { build: "NAME" }
      },
      "mesh-controller_machines": { NAME: { site: "NAME", seal: "NAME" } },
      "mesh-controller_seats": {
        NAME: { node: "NAME", module: "NAME" },
        vault: { node: "NAME", module: "mesh-vault" }
      },
      "mesh-config_values": { "NAME.shop.NAME": { value: { NAME: "NAME" } } },
      "mesh-host_haves": { "NAME.NAME": { build: "NAME", health: "healthy" } },
      "mesh-provisioner_needs": {
        "NAME.shop.bound.NAME": { local: "NAME", fields: ["NAME"] },
        "NAME.shop.bound.alias": { provision: "NAME" },
        "NAME.shop.bound.open": {},
        "NAME.shop.bound.made": { local: "NAME" },
        "NAME.shop.NAME.NAME": {},
        "NAME.shop.asked.NAME": {},
        "NAME.shop.nobodys-NAME.NAME": {},
        "NAME.shop.secret.NAME": {},
        "NAME.shop.config.NAME": {},
        "NAME.shop.config.other": { default: { NAME: "NAME" } },
        "NAME.shop.dir.NAME": {},
        "NAME.shop.dir.other": {},
        "NAME.shop.port.NAME": {},
        "NAME.shop.shell.NAME": {},
        "NAME.shop.collected.NAME": {},
        "NAME.NAME.bound.NAME": { own: true },
        "NAME.shop.NAME": {}
      },
      "mesh-provisioner_applied": {
        "NAME.NAME": { plan: "0".repeat(32), instance: "NAME", own: ["NAME", "NAME.NAME"] }
      },
      "mesh-provisioner_collect": {
        "NAME.NAME.NAME": { NAME: "NAME" },
        "NAME.shell=3ANAME.NAME": "NAME",
        "NAME.NAME.shop": 1
      },
      "mesh-provisioner_answers": {
        "NAME.NAME.NAME.former.NAME": { answer: "keep", entry: "0".repeat(32), by: "NAME", words: "NAME" },
        "NAME.NAME.NAME.shop.NAME.NAME": { answer: "retire", entry: "0".repeat(32), by: "NAME" }
      },
      "NAME_bound": {
        "NAME.shop.NAME.NAME": { state: "provided", by: "NAME", for: "NAME", values: { NAME: "NAME" } },
        "NAME.shop.NAME": { state: "NAME", by: "NAME", why: "NAME" },
        "NAME.former.NAME": { state: "provided", by: "NAME", also: ["NAME", "other"] },
        "NAME.NAME.NAME.NAME.NAME": {}
      },
      "maker_bound": { "NAME.shop.made.NAME": { state: "provided", by: "NAME", values: {} } },
      "mesh-vault_bound": {
        "NAME.shop.secret.NAME": { state: "provided", by: "NAME", values: { NAME: 1 } },
        "NAME.shop.credential.maker=2Emade=2ENAME=2ENAME": { state: "provided", by: "NAME" },
        "NAME.shop.credential.NAME=2ENAME=2ENAME=2Esecretly": { state: "provided", by: "NAME", values: { NAME: 2 } }
      },
      "NAME_NAME": { "NAME.shop.NAME.NAME": { NAME: "NAME" } },
      "NAME": { "NAME": "NAME" },
      "mesh-provisioner_plans": { NAME: { NAME: 1 }, "NAME.shop": "NAME" }
    },
    raw: { "mesh-host_haves": { "NAME.shop": "e30=" }, "NAME": { "NAME": "AA==" } }
  }).replaceAll("NAME", name)

const read = (name: string): Snapshot => Result.getOrThrow(parseSnapshot(meshOf(name)))

/** Decisions as text, without what is a digest. */
const textOf = ({ asks, plans, provisions, registry, ...rest }: Decisions): Json =>
  JSON.parse(
    JSON.stringify({
      registry: [...registry],
      provisions: [...provisions],
      asks: [...asks],
      plans: [...plans],
      ...rest
    })
      .replaceAll(/"[0-9a-f]{32}"/g, "\"digest\"")
  )

/** A name that means nothing, and that stands in the same place of every order: its last letter is the one before. */
const harmless = (name: string): string =>
  name.replace(/[a-z](?=_*$)/, (letter) => String.fromCharCode(letter.charCodeAt(0) - 1))

/** What a text says once each name in it is another. */
const renamed = (json: Json, from: string, to: string): Json => JSON.parse(JSON.stringify(json).replaceAll(from, to))

describe("names that objects have of their own", () => {
  const plain = decide(read("plain"))

  test("the mesh that they are tried in has something of everything", () => {
    const reasons = new Set([...plain.provisions.values()].map(({ reason }) => reason))
    expect([...reasons].sort()).toEqual([
      "collection",
      "default",
      "entry",
      "healthy",
      "making",
      "no-domain",
      "not-placed",
      "own",
      "placed",
      "provided"
    ])
    expect(new Set([...plain.asks.values()].map(({ state }) => state))).toEqual(new Set(["wanted", "kept", "unneeded"]))
    expect([...plain.registry.keys()]).toContain("plain")
    expect(plain.outOfShape.length).toBe(5)
  })

  for (const name of hostile) {
    test(`${name} is decided on as any other, in every place`, () => {
      const other = harmless(name)
      expect(renamed(textOf(decide(read(name))), name, other)).toEqual(textOf(decide(read(other))))
    })

    test(`${name} is found, digested and kept in order as the twin does it`, () => {
      const { asks, plans, provisions } = decide(read(name))
      const twin = naiveDecide(read(name))
      expect([...provisions].map(([key, { find, version }]) => [key, find, version]).sort())
        .toEqual([...twin.provisions].map(([key, { find, version }]) => [key, find, version]).sort())
      expect([...plans].map(([key, { digest }]) => [key, digest]).sort()).toEqual(
        [...twin.plans].map(([key, { digest }]) => [key, digest]).sort()
      )
      expect([...asks.keys()].sort()).toEqual([...twin.asks.keys()].sort())
    })

    test(`${name} is diffed, asked for, explained, answered and checked`, () => {
      const snapshot = read(name)
      const facts = Facts.fromSnapshot(snapshot)
      const source = { facts, decisions: decide(facts) }
      const writes = diff(storedIn(snapshot), source.decisions)
      expect(writes.filter(({ bucket, key }) => bucket === "mesh-provisioner_plans" && key === name)).toEqual([{
        op: "delete",
        bucket: "mesh-provisioner_plans",
        key: name
      }])
      expect(Result.getOrThrow(query(source, { what: "plans", node: name, module: name })).entries.length).toBe(1)
      expect(Result.getOrThrow(query(source, { what: "collect", collection: name })).entries.length).toBe(2)
      expect(Result.getOrThrow(query(source, { module: name })).entries.map(({ key }) => key)).toContain(name)
      expect(Result.getOrThrow(explain(source, { node: name, module: "shop", kind: name, name })).tree.state).toBe(
        "provided"
      )
      expect(
        Result.isSuccess(retire(source, { key: `${name}.${name}.${name}.former.${name}`, answer: "retire", by: name }))
      ).toBe(true)
      for (const request of [{ [name]: 1 }, { what: name }, { state: name, what: "plans" }]) {
        expect(Result.isFailure(query(source, Object.fromEntries(Object.entries(request))))).toBe(true)
      }
      const definition: Json = JSON.parse(`{ "provides": { "${name}": { "credential": "${name}" } }, "${name}": 1 }`)
      expect(checkDefinition(definition, "shop").map(({ path }) => path)).toEqual([["provides", name, "credential"]])
    })
  }

  test("no object of the language has been written to", () => {
    const left: { readonly [name: string]: unknown } = {}
    expect(hostile.filter((name) => Object.hasOwn(left, name))).toEqual([])
    expect(Object.keys(Object.getPrototypeOf(left))).toEqual([])
    expect(left["build"]).toBeUndefined()
  })
})
