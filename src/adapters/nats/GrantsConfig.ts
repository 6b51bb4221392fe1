/**
 * Accounts and users as the text of a `nats-server`'s configuration, which servers from 2.9.10 on read.
 *
 * A user is let in by an nkey: what stands here is the public half, so that the text is no secret. Where it is not known, a
 * variable stands for it: a server that is not told it does not start, and no user is ever let in by a key that came with
 * this program.
 */
import type { GrantedAccount, GrantedExport, GrantedImport, GrantedUser, Grants } from "./Grants.ts"

/** The public nkeys of users, by the users' names. */
export type PublicKeys = ReadonlyMap<string, string>

/**
 * The configuration's text, to be included in that of a server.
 *
 * @example
 * ```ts
 * import { grantsConfig, grantsOf } from "mesh-provisioner/adapters/nats"
 *
 * const mesh = { nodes: ["n1"], providers: [], operators: ["ann"], readers: [], buckets: [] }
 * const text = grantsConfig(grantsOf("accounts", mesh), new Map())
 * text.includes("nkey: $OPERATOR_ANN_NKEY") // true
 * ```
 */
export const grantsConfig = (grants: Grants, keys: PublicKeys): string => {
  const variables = variablesOf(grants)
  const isFilled = [...variables.keys()].every((user) => keys.has(user))
  const lines = [
    ...heads[grants.kind].map(comment),
    ...grants.holes.map((hole) => comment(`NOT CLOSED HERE: ${hole}`)),
    ...(isFilled ? [] : howToFill.map(comment)),
    "",
    "accounts {",
    ...grants.accounts.flatMap((account) =>
      accountLines(account, (user) => keys.get(user) ?? `$${variables.get(user)}`)
    ),
    "}"
  ]
  return `${lines.join("\n")}\n`
}

const comment = (words: string): string => words === "" ? "#" : `# ${words}`

const heads = {
  accounts: [
    "The accounts of a mesh, by `mesh-provisioner grants`. Include this in the configuration of every server of it, which",
    "also has JetStream on. The buckets are in the account \"mesh\"; every party has an account of its own."
  ],
  "single-account": [
    "The users of a mesh, all in one account, by `mesh-provisioner grants --single-account`. Include this in the",
    "configuration of every server of it, which also has JetStream on."
  ]
} as const

const howToFill = [
  "",
  "Each $…_NKEY is a variable of the server's environment: the public nkey of that user (U…). A server that is not told one",
  "does not start. Make pairs by `mesh-provisioner grants … --seeds FOLDER`, which writes them here, or by `nk -gen user -pubout`."
]

/**
 * The variable that stands for each user's public nkey: `CLIENT_N1_NKEY`. Names that would read alike are told apart by
 * numbers.
 */
export const variablesOf = ({ accounts }: Grants): ReadonlyMap<string, string> => {
  const variables = new Map<string, string>()
  const taken = new Set<string>()
  for (const { users } of accounts) {
    for (const { name } of users) {
      const plain = name.toUpperCase().replace(/[^A-Z0-9]+/g, "_")
      let variable = `${plain}_NKEY`
      for (let count = 2; taken.has(variable); count++) {
        variable = `${plain}_${count}_NKEY`
      }
      taken.add(variable)
      variables.set(name, variable)
    }
  }
  return variables
}

const accountLines = (account: GrantedAccount, keyOf: (user: string) => string): ReadonlyArray<string> => [
  `  ${quoted(account.name)}: {`,
  ...(account.jetStream ? ["    jetstream: enabled"] : []),
  ...listLines("users", account.users.flatMap((user) => userLines(user, keyOf(user.name)))),
  ...(account.exports.length === 0 ? [] : listLines("exports", account.exports.map(exportLine))),
  ...(account.imports.length === 0 ? [] : listLines("imports", account.imports.map(importLine))),
  "  }"
]

const listLines = (name: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  `    ${name}: [`,
  ...lines.map((line) => `      ${line}`),
  "    ]"
]

const userLines = ({ inboxPrefix, name, publish, subscribe }: GrantedUser, key: string): ReadonlyArray<string> => [
  `# ${name}, whose inbox prefix is ${inboxPrefix}`,
  `{ nkey: ${key}, permissions: {`,
  ...allowLines("publish", publish),
  ...allowLines("subscribe", subscribe),
  "} }"
]

const allowLines = (name: string, subjects: ReadonlyArray<string>): ReadonlyArray<string> => [
  `  ${name}: { allow: [`,
  ...subjects.map((subject) => `    ${quoted(subject)}`),
  "  ] }"
]

const exportLine = ({ accounts, is, manyAnswers, subject }: GrantedExport): string =>
  `{ ${is}: ${quoted(subject)},${manyAnswers ? " response_type: stream," : ""} accounts: [${
    accounts.map(quoted).join(", ")
  }] }`

const importLine = ({ account, is, subject, to }: GrantedImport): string =>
  `{ ${is}: { account: ${quoted(account)}, subject: ${quoted(subject)} }${
    to === subject ? "" : `, to: ${quoted(to)}`
  } }`

// Names come as tokens: none holds a quotation mark, a backslash or the end of a line.
const quoted = (text: string): string => `"${text}"`
