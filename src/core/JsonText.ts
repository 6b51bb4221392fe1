/**
 * Where in a JSON text something stands, for a person who has to mend the file. `JSON.parse` alone decides what is JSON;
 * this walk, which never turns back and takes no stack of the runtime's, only finds the place.
 */

/** A place in a text, counted from 1. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/** Where a text stops being JSON: at its end, where it was cut short. */
export const placeOfSyntaxError = (text: string): TextPlace => {
  const walk = new Walk(text, [])
  walk.run()
  return placeOf(text, walk.at)
}

/** Where the value at a path stands in a JSON text; as near to it as the text goes. */
export const placeOfPath = (text: string, path: ReadonlyArray<string>): TextPlace => {
  const walk = new Walk(text, path)
  walk.run()
  return placeOf(text, walk.found.at(-1) ?? 0)
}

const placeOf = (text: string, offset: number): TextPlace => {
  const before = text.slice(0, offset)
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") }
}

/** What may come next. */
type Expected = "value" | "value or ]" | "name" | "name or }" | "colon" | "comma or end" | "end"

class Walk {
  /** Where the walk is: at the end of it, where the text stopped being JSON. */
  at = 0
  /** Where the values stand that lie on the path, from the outermost on; of several of one name, the last. */
  readonly found: Array<number> = []
  readonly #text: string
  readonly #path: ReadonlyArray<string>
  /** The containers around: the name read last in an object, none in an array. */
  readonly #around: Array<{ readonly close: "}" | "]"; name: string | undefined }> = []
  #expected: Expected = "value"

  constructor(text: string, path: ReadonlyArray<string>) {
    this.#text = text
    this.#path = path
  }

  run(): void {
    do {
      this.#skip(/[ \t\n\r]*/y)
    } while (this.at < this.#text.length && this.#token())
  }

  /** Takes one token; not where it may not come here. */
  #token(): boolean {
    const character = this.#text[this.at]
    const around = this.#around.at(-1)
    switch (this.#expected) {
      case "value":
      case "value or ]":
        return character === "]" && this.#expected === "value or ]" ? this.#close() : this.#value(character)
      case "name":
      case "name or }":
        return character === "}" && this.#expected === "name or }" ? this.#close() : this.#name(around)
      case "colon":
        return character === ":" && this.#take("value")
      case "comma or end":
        return character === "," && around !== undefined
          ? this.#take(around.close === "}" ? "name" : "value")
          : character === around?.close && this.#close()
      case "end":
        return false
    }
  }

  #value(character: string | undefined): boolean {
    this.#note()
    switch (character) {
      case "{":
        this.#around.push({ close: "}", name: undefined })
        return this.#take("name or }")
      case "[":
        this.#around.push({ close: "]", name: undefined })
        return this.#take("value or ]")
      case "\"":
        return this.#string() && this.#next()
      default:
        return this.#skip(/(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y) && this.#next()
    }
  }

  #name(around: { name: string | undefined } | undefined): boolean {
    const start = this.at
    if (this.#text[start] !== "\"" || !this.#string() || around === undefined) {
      return false
    }
    // Only a name that may be on the path is ever read.
    around.name = this.#around.length <= this.#path.length ? JSON.parse(this.#text.slice(start, this.at)) : undefined
    this.#expected = "colon"
    return true
  }

  /** Passes over a string, or stops at the character that may not be in one. */
  #string(): boolean {
    for (this.at += 1; this.at < this.#text.length; this.at += 1) {
      const character = this.#text[this.at] ?? ""
      if (character === "\"") {
        this.at += 1
        return true
      }
      if (character < " " || (character === "\\" && !this.#skip(/\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y))) {
        return false
      }
      this.at -= character === "\\" ? 1 : 0
    }
    return false
  }

  #close(): boolean {
    this.#around.pop()
    this.at += 1
    return this.#next()
  }

  #next(): boolean {
    this.#expected = this.#around.length === 0 ? "end" : "comma or end"
    return true
  }

  #take(expected: Expected): boolean {
    this.at += 1
    this.#expected = expected
    return true
  }

  /** Passes over what a pattern matches here, which may be nothing; not where it does not match. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    const matches = pattern.test(this.#text)
    this.at = matches ? pattern.lastIndex : this.at
    return matches
  }

  #note(): void {
    const depth = this.#around.length
    if (depth <= this.#path.length && this.#around.every(({ name }, index) => name === this.#path[index])) {
      this.found.length = depth
      this.found.push(this.at)
    }
  }
}
