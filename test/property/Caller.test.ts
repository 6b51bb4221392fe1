/**
 * Who asks a verb: the name of an account is the exact inverse of its reading, and is one token of a subject, which no
 * server takes for more or for a pattern (protocol §8, §9).
 */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { type Caller, readAccountName, writeAccountName } from "../../src/core/Caller.ts"
import { isModuleName, isName, writeToken } from "../../src/core/Name.ts"
import { anyModuleName, anyName, anyText, nearToken } from "../../src/testing/arbitrary/Names.ts"
import { check, Met } from "./Law.ts"

const nameOrNot = fc.oneof(anyName(), anyText)

const callers: fc.Arbitrary<Caller> = fc.oneof(
  fc.record({ role: fc.constant("node"), node: nameOrNot }),
  fc.record({ role: fc.constant("provider"), module: fc.oneof(anyModuleName, anyText), node: nameOrNot }),
  fc.record({ role: fc.constantFrom("operator", "reader"), name: nameOrNot })
)

test("what is written of a caller reads back as that caller; of what is no name, nothing is written", () => {
  const met = new Met()
  check(
    fc.property(callers, (caller) => {
      const account = writeAccountName(caller)
      const isNamed = isName("node" in caller ? caller.node : caller.name) &&
        (caller.role !== "provider" || isModuleName(caller.module))
      expect(readAccountName(account)).toEqual(isNamed ? { ...caller } : undefined)
      expect(account).toMatch(isNamed ? /^[A-Za-z0-9_\-/=:@]+$/ : /^$/)
      met.count(isNamed ? caller.role : "no name")
    }),
    2_000
  )
  met.atLeast({ node: 200, provider: 100, operator: 100, reader: 100, "no name": 100 })
})

test("what reads as a caller is what was written for it, and nothing else is", () => {
  const met = new Met()
  const roles = fc.constantFrom("node:", "provider:", "operator:", "reader:", "mesh", "Node:", "operator", "")
  const accounts = fc.tuple(
    roles,
    fc.oneof(anyName().map(writeToken), nearToken, anyText),
    fc.constantFrom("", "@", "@n2", "@n=32", ":n2")
  )
    .map((parts) => parts.join(""))
  check(
    fc.property(fc.oneof(accounts, anyText), (account) => {
      const caller = readAccountName(account)
      expect(caller === undefined || writeAccountName(caller) === account).toBe(true)
      met.count(caller?.role ?? "none")
    }),
    4_000
  )
  met.atLeast({ node: 15, provider: 4, operator: 15, reader: 12, none: 1_000 })
})

test("an account that is named by a key, an operator's JWT or by nothing is nobody's", () => {
  for (
    const account of ["", "mesh", "$G", "node:", "provider:postgres", "provider:@n2", "provider:a.b@n2", "__proto__"]
  ) {
    expect(readAccountName(account), account).toBeUndefined()
  }
})
