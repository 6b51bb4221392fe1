/**
 * Aligned columns.
 */
import { type Line, type Piece, styled, widthOf } from "./Print.ts"

/** A cell of a table. */
export type Cell = Piece

/** Lays rows out under a header, each column as wide as its widest cell; the last one ends where it ends. */
export const table = function*(
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>
): Iterable<Line> {
  const all = [header.map((name) => styled("bold", name)), ...rows]
  const widths = header.map((_, column) => all.reduce((width, row) => Math.max(width, widthOf([row[column] ?? ""])), 0))
  for (const row of all) {
    yield row.flatMap((cell, column) =>
      column === row.length - 1 ? [cell] : [cell, " ".repeat((widths[column] ?? 0) - widthOf([cell]) + 2)]
    )
  }
}
