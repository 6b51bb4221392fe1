/**
 * Who takes part in a mesh, as flags say it.
 */
import * as Effect from "effect/Effect"
import { isMeshBucket } from "../core/BucketName.ts"
import { isModuleName, isName, writeToken } from "../core/Name.ts"
import type { Parties } from "../ports/Grants.ts"
import { type Failure, usage } from "./Failure.ts"

/** The flags, each as the names that it was given. */
export type PartiesConfig = { readonly [Flag in keyof Parties]: ReadonlyArray<string> }

/** A mesh by its flags. Fails, saying which name and why, where one is none. */
export const readParties = Effect.fnUntraced(function*(
  { buckets, nodes, operators, providers, readers }: PartiesConfig
): Effect.fn.Return<Parties, Failure> {
  for (const [flag, names] of [["--nodes", nodes], ["--operators", operators], ["--readers", readers]] as const) {
    yield* Effect.forEach(names, (name) => checkName(flag, name), { discard: true })
  }
  return {
    nodes,
    operators,
    readers,
    providers: yield* Effect.forEach(providers, readProvider),
    buckets: yield* Effect.forEach(buckets, readBucket)
  }
})

/** An account's name is one token of a subject, and names a file. */
const tokenCharactersMax = 200

const checkName = (flag: string, name: string): Effect.Effect<string, Failure> => {
  if (!isName(name)) {
    return Effect.fail(usage(`${flag}: a name that was given is none. One is text that is well-formed Unicode.`))
  }
  return writeToken(name).length > tokenCharactersMax
    ? Effect.fail(usage(`${flag}: ${name.slice(0, 40)}… is too long. As a token it has ${tokenCharactersMax} at most.`))
    : Effect.succeed(name)
}

const readProvider = Effect.fnUntraced(function*(text: string) {
  const [module = "", node] = split(text)
  if (node === undefined) {
    return yield* usage(`--providers: ${text} does not say where it runs. Write MODULE@NODE.`)
  }
  yield* checkModule("--providers", module)
  return { module, node: yield* checkName("--providers", node) }
})

const readBucket = Effect.fnUntraced(function*(text: string) {
  const [bucket = "", module] = split(text)
  if (module === undefined) {
    return yield* usage(`--buckets: ${text} does not say whose it is. Write BUCKET@MODULE.`)
  }
  yield* checkModule("--buckets", module)
  return isModuleName(bucket) && bucket.startsWith(`${module}_`) && !isMeshBucket(bucket)
    ? { bucket, module }
    : yield* usage(
      `--buckets: ${bucket} is no bucket of ${module}'s own. Its name begins with ${module}_, and is none of the protocol's.`
    )
})

const checkModule = (flag: string, module: string): Effect.Effect<void, Failure> =>
  isModuleName(module)
    ? Effect.void
    : Effect.fail(usage(`${flag}: ${module} is no module's name. One is 1 to 200 of A-Z a-z 0-9 _ -.`))

/** What stands before the first `@`, and what behind it, if there is one. */
const split = (text: string): readonly [string, string?] => {
  const at = text.indexOf("@")
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
