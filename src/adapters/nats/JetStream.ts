/**
 * The requests of JetStream that are used here, each with its answer looked through. A bucket `b` is the stream `KV_b`,
 * and its key `k` the subject `$KV.b.k`.
 */
import type { Msg } from "@nats-io/transport-node"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { apiCode, type Trouble } from "./NatsErrors.ts"
import type { Requests } from "./Requests.ts"
import type { Settings } from "./Settings.ts"

/** The stream that a bucket is. */
export const streamOf = (bucket: string): string => `${streamPrefix}${bucket}`

/** The bucket that a stream is, if it is one. */
export const bucketOf = (stream: string): string | undefined =>
  stream.startsWith(streamPrefix) && stream.length > streamPrefix.length ? stream.slice(streamPrefix.length) : undefined

const streamPrefix = "KV_"

/** What stands before a bucket's keys in their subjects. */
export const keyPrefixOf = (bucket: string): string => `$KV.${bucket}.`

/** Whether there can be a bucket of this name: one token of a subject, that is no pattern. */
export const isBucketName = (bucket: string): boolean =>
  bucket.length <= bucketCharactersMax && /^[^\s\p{Cc}.*>/\\]+$/u.test(bucket)

/** Names over this many characters the servers refuse as a stream's. */
const bucketCharactersMax = 250

/** A stream's configuration, by the names of JetStream. */
export type StreamConfig = { readonly [name: string]: Schema.Json }

/**
 * Whether a stream takes a bucket's keys and keeps them, as its configuration has it. Anyone may call a stream like a bucket:
 * a queue of work gives each message once, and a mirror holds what another bucket's keys are.
 */
export const isBucket = (bucket: string, { mirror, retention = "limits", subjects }: StreamConfig): boolean =>
  retention === "limits" && (mirror === undefined || mirror === null) && Array.isArray(subjects) &&
  subjects.some((subject) => typeof subject === "string" && isOfKeys(bucket, subject.split(".")))

// A subject that has fewer tokens than a key's is of keys where it ends in what stands for all that follow.
const isOfKeys = (bucket: string, tokens: ReadonlyArray<string>): boolean => {
  const [first, second, third] = tokens
  const isAny = (token: string | undefined, name: string) => token === name || token === "*"
  return first === ">" ||
    (isAny(first, "$KV") && (second === ">" || (isAny(second, bucket) && third !== undefined)))
}

/** How a stream stands. `created` says when it was made: another time means another stream. */
export type StreamInfo = typeof StreamInfo.Type

const StreamInfo = Schema.Struct({
  created: Schema.String,
  config: Schema.Record(Schema.String, Schema.Json),
  state: Schema.Struct({
    messages: Schema.optionalKey(Schema.Int),
    last_seq: Schema.optionalKey(Schema.Int),
    num_subjects: Schema.optionalKey(Schema.Int)
  }),
  cluster: Schema.optionalKey(Schema.Struct({ leader: Schema.optionalKey(Schema.String) }))
})

/** A message as the stream keeps it; headers and data as base64. */
export type StoredMessage = typeof StoredMessage.Type["message"]

const StoredMessage = Schema.Struct({
  message: Schema.Struct({
    subject: Schema.String,
    seq: Schema.Int,
    hdrs: Schema.optionalKey(Schema.String),
    data: Schema.optionalKey(Schema.String),
    time: Schema.String
  })
})

const Names = Schema.Struct({
  total: Schema.Int,
  streams: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String)))
})

const ConsumerCreated = Schema.Struct({ num_pending: Schema.optionalKey(Schema.Int) })

const Failed = Schema.Struct({
  error: Schema.Struct({ err_code: Schema.Int, description: Schema.optionalKey(Schema.String) })
})

/** That a message was stored, as `seq` of `stream`. */
const Stored = Schema.Struct({
  stream: Schema.String,
  seq: Schema.Int,
  duplicate: Schema.optionalKey(Schema.Boolean)
})

/** Reads an answer of JetStream's: its error, or what the schema says. */
const readAnswer = <A>(schema: Schema.ConstraintDecoder<A>, answer: Msg): Result.Result<A, Trouble> => {
  const json = jsonOf(answer)
  const failed = Schema.decodeUnknownOption(Failed)(json)
  if (Option.isSome(failed)) {
    const { description = "", err_code } = failed.value.error
    return Result.fail({ _tag: "Api", code: err_code, description })
  }
  return Result.fromOption(Schema.decodeUnknownOption(schema)(json), (): Trouble => ({ _tag: "Unreadable" }))
}

/** Reads the answer to a write into a stream: its sequence there. One that was refused names a stream and a sequence too. */
export const readStored = (answer: Msg, stream: string): Result.Result<number, Trouble> => {
  const [, storedIn, sequence] = storedShortly.exec(answer.string()) ?? []
  if (storedIn === stream) {
    return Result.succeed(Number(sequence))
  }
  return Result.flatMap(
    readAnswer(Stored, answer),
    ({ duplicate, seq, stream: storedIn }): Result.Result<number, Trouble> =>
      storedIn === stream && duplicate !== true ? Result.succeed(seq) : Result.fail({ _tag: "Unreadable" })
  )
}

/** As servers write it where there is nothing more to be said. */
const storedShortly = /^\{"stream":"([\w-]+)","seq":(\d{1,15})\}$/

const jsonOf = (answer: Msg): unknown => {
  try {
    return JSON.parse(answer.string())
  } catch {
    return undefined
  }
}

/** JetStream, by its requests. */
export class JetStream {
  readonly #requests: Requests
  readonly #prefix: string

  constructor(requests: Requests, { apiPrefix }: Settings) {
    this.#requests = requests
    this.#prefix = apiPrefix
  }

  /** Asks whether it is there, for this account. */
  readonly isThere: Effect.Effect<void, Trouble> = Effect.suspend(() =>
    Effect.asVoid(this.#ask("INFO", undefined, Schema.Json))
  )

  /** How a bucket's stream stands. */
  info(bucket: string): Effect.Effect<StreamInfo, Trouble> {
    return this.#ask(`STREAM.INFO.${streamOf(bucket)}`, undefined, StreamInfo)
  }

  /** The names of all buckets, in no order. */
  readonly buckets: Effect.Effect<ReadonlyArray<string>, Trouble> = Effect.gen({ self: this }, function*() {
    const streams: Array<string> = []
    while (true) {
      const page = yield* this.#ask("STREAM.NAMES", { offset: streams.length }, Names)
      streams.push(...page.streams ?? [])
      if ((page.streams ?? []).length === 0 || streams.length >= page.total) {
        return streams.flatMap((stream) => bucketOf(stream) ?? [])
      }
    }
  })

  /** Makes a stream, or gives it another configuration. */
  makeStream(config: StreamConfig): Effect.Effect<StreamInfo, Trouble> {
    return this.#ask(`STREAM.CREATE.${String(config["name"])}`, config, StreamInfo)
  }

  changeStream(config: StreamConfig): Effect.Effect<StreamInfo, Trouble> {
    return this.#ask(`STREAM.UPDATE.${String(config["name"])}`, config, StreamInfo)
  }

  /** Has a consumer deliver. Gives how many messages there are for it. */
  makeConsumer(
    bucket: string,
    config: StreamConfig & { readonly name: string; readonly filter_subject: string },
    millisMax: number
  ): Effect.Effect<number, Trouble> {
    const { filter_subject, name } = config
    return Effect.map(
      this.#ask(
        `CONSUMER.CREATE.${streamOf(bucket)}.${name}.${filter_subject}`,
        { stream_name: streamOf(bucket), config },
        ConsumerCreated,
        millisMax
      ),
      ({ num_pending = 0 }) => num_pending
    )
  }

  /** The message that a bucket's stream holds there, as its leader has it; none where it holds none. */
  message(
    bucket: string,
    which: { readonly last_by_subj: string } | { readonly seq: number; readonly next_by_subj: string }
  ): Effect.Effect<StoredMessage | undefined, Trouble> {
    return this.#ask(`STREAM.MSG.GET.${streamOf(bucket)}`, which, StoredMessage).pipe(
      Effect.map(({ message }): StoredMessage | undefined => message),
      Effect.catchIf(
        (trouble) => trouble._tag === "Api" && trouble.code === apiCode.noMessage,
        () => Effect.undefined
      )
    )
  }

  #ask<A>(
    request: string,
    body: Schema.Json | undefined,
    schema: Schema.ConstraintDecoder<A>,
    millisMax?: number
  ): Effect.Effect<A, Trouble> {
    return Effect.flatMap(
      this.#requests.askWhenUp({
        subject: `${this.#prefix}.${request}`,
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
        ...(millisMax === undefined ? {} : { millisMax })
      }),
      (answer) => Effect.fromResult(readAnswer(schema, answer))
    )
  }
}
