/**
 * Asks a server who one is there: the user's account, and by its permissions which party of the mesh it is.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Party, readParty } from "../../ports/Grants.ts"
import { whoAmI } from "./Permissions.ts"
import type { Requests } from "./Requests.ts"

const WhoSaid = Schema.Struct({
  server: Schema.optionalKey(Schema.Struct({ time: Schema.optionalKey(Schema.String) })),
  data: Schema.Struct({
    account: Schema.String,
    permissions: Schema.optionalKey(Schema.Struct({
      subscribe: Schema.optionalKey(Schema.Struct({ allow: Schema.optionalKey(Schema.Array(Schema.String)) }))
    }))
  })
})

/** What the server says of who one is. */
export interface Who {
  /** Whether its answers can be heard at all. */
  readonly isInboxHeard: boolean
  readonly account?: string
  readonly party?: Party
  readonly clock?: { readonly clockAheadMillis: number }
}

/** Asks the server who one is. Those before 2.10 do not say it. */
export const askWho = (requests: Requests): Effect.Effect<Who> =>
  Effect.suspend(() => {
    const asked = Date.now()
    return requests.ask(() => ({ subject: whoAmI })).pipe(
      Effect.map((answer): Who => whoIn(parsed(answer.string()), (asked + Date.now()) / 2)),
      Effect.catch((trouble) =>
        Effect.succeed<Who>({ isInboxHeard: trouble._tag !== "Denied" || trouble.operation !== "subscription" })
      )
    )
  })

const whoIn = (json: unknown, atMillis: number): Who => {
  const said = Option.getOrUndefined(Schema.decodeUnknownOption(WhoSaid)(json))
  if (said === undefined) {
    return { isInboxHeard: true }
  }
  const time = Date.parse(said.server?.time ?? "")
  const party = partyBy(said.data)
  return {
    isInboxHeard: true,
    account: said.data.account,
    ...(party === undefined ? {} : { party }),
    ...(Number.isNaN(time) ? {} : { clock: { clockAheadMillis: time - atMillis } })
  }
}

/** A user is called as its inboxes are, and else, with luck, as its account. */
const partyBy = ({ account, permissions }: typeof WhoSaid.Type["data"]): Party | undefined => {
  const inboxes = (permissions?.subscribe?.allow ?? []).flatMap((subject) =>
    /^_INBOX\.(.+)\.>$/.exec(subject)?.[1] ?? []
  )
  return [...inboxes, account].map(readParty).find((party) => party !== undefined)
}

/** A text as JSON; nothing where it is none. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
