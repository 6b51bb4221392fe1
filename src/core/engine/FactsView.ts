/**
 * The facts as others may see them: read as they stand, and not to be changed.
 */
import type { Facts, FactsView } from "../Facts.ts"
import type { Part } from "../Key.ts"
import type { Table, TableView } from "../Table.ts"
import { View } from "./View.ts"

/** A view of facts. */
export const viewOf = (facts: Facts): FactsView => ({
  modules: tableOf(facts.modules),
  assignments: tableOf(facts.assignments),
  machines: tableOf(facts.machines),
  seats: tableOf(facts.seats),
  configValues: tableOf(facts.configValues),
  haves: tableOf(facts.haves),
  needs: tableOf(facts.needs),
  applied: tableOf(facts.applied),
  collect: tableOf(facts.collect),
  answers: tableOf(facts.answers),
  bound: new View(facts.bound, tableOf, () => facts.bound.size),
  table: (bucket) => {
    const table = facts.table(bucket)
    return table && tableOf(table)
  },
  tables: () => [...facts.tables()].map(([bucket, table]) => [bucket, tableOf(table)] as const),
  stranger: (bucket, key) => facts.stranger(bucket, key),
  strangers: (bucket) => facts.strangers(bucket),
  isThere: (bucket) => facts.isThere(bucket)
})

const tableOf = <P extends Part, A>(table: Table<P, A>): TableView<P, A> => ({
  all: () => table.all(),
  fact: (key) => table.fact(key),
  named: () => table.named(),
  get size() {
    return table.size
  },
  sound: () => table.sound(),
  value: (key) => table.value(key)
})
