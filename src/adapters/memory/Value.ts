/**
 * A value of a snapshot as the bytes of the bus, and back (protocol §3). Strangers' values can be deeper than
 * JavaScript's own writer bears, and hold numbers that it would write as `null`: those are written too, so that a
 * reader finds them out of shape for what they are.
 */
import { isJsonObject, type Json, type JsonObject, valueFault } from "../../core/Json.ts"
import { writeUtf8 } from "../../core/Utf8.ts"

/** The bytes of a JSON value. */
export const bytesOfJson = (json: Json): Uint8Array => writeUtf8(textOfJson(json))

/** The text of a JSON value, whatever its depth and numbers. */
const textOfJson = (json: Json): string => valueFault(json) === undefined ? JSON.stringify(json) : textOfAny(json)

const textOfAny = (json: Json): string => {
  const written: Array<string> = []
  const rest: Array<Part> = [{ json }]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if ("text" in next) {
      written.push(next.text)
    } else if (typeof next.json !== "object" || next.json === null) {
      written.push(textOfScalar(next.json))
    } else {
      const array = Array.isArray(next.json)
      written.push(array ? "[" : "{")
      rest.push({ text: array ? "]" : "}" })
      rest.push(...parts(next.json).reverse())
    }
  }
  return written.join("")
}

type Part = { readonly text: string } | { readonly json: Json }

const parts = (container: ReadonlyArray<Json> | JsonObject): Array<Part> =>
  isJsonObject(container)
    ? Object.entries(container).flatMap(([name, json], index) => [
      { text: `${index === 0 ? "" : ","}${JSON.stringify(name)}:` },
      { json }
    ])
    : container.flatMap((json, index) => [{ text: index === 0 ? "" : "," }, { json }])

const textOfScalar = (scalar: null | boolean | number | string): string =>
  typeof scalar === "number" && !Number.isFinite(scalar) ? scalar < 0 ? "-1e999" : "1e999" : JSON.stringify(scalar)
