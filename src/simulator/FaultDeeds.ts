/**
 * What goes wrong in a simulated mesh: on the way to the bus and back, with buckets and watches, with the provisioners, and
 * with those who say what they ought not to.
 */
import { epochKey } from "../core/Bucket.ts"
import { boundBucket, bucketName, moduleOfBoundBucket } from "../core/BucketName.ts"
import type { Json } from "../core/Json.ts"
import { brokenNeeds, canary } from "./Cast.ts"
import { among, consumerOf, moduleOf, nodeOf, processOf } from "./Choosing.ts"
import type { WriteLoss } from "./Party.ts"
import type { FaultDeed, Happening } from "./Plot.ts"
import type { Slip } from "./Provider.ts"
import type { Deafness } from "./Watch.ts"
import type { World } from "./World.ts"

const slips: ReadonlyArray<Slip> = [
  "fails",
  "fails",
  "leaves a field out",
  "shows a secret",
  "shows a secret",
  "garbles its entry"
]
const losses: ReadonlyArray<WriteLoss> = ["write", "answer", "answer", "full"]

/** The buckets that may be lost: any, and those of providers more often. */
const losable = (world: World): ReadonlyArray<string> => {
  const bound = world.providers.map(({ module }) => boundBucket(module))
  return [...Object.values(bucketName), ...bound, ...bound, "Redis_licences"]
}

const decided = [bucketName.registry, bucketName.provisions, bucketName.asks, bucketName.plans]

const garbage: ReadonlyArray<string> = [
  "null",
  "{",
  `"${canary}"`,
  `{"build":1,"state":"provided","by":"n1","values":"${canary}"}`,
  "[[1e999]]",
  "{}"
]

const loseWrites = (world: World, { how, what, who }: Happening, loss: WriteLoss): string => {
  const party = how % 2 === 0 ? among(world.processes, who).party : among(world.parties, who)
  const count = 1 + (what % 4)
  for (let at = 0; at < count; at++) {
    party.losses.push(loss)
  }
  return `${count} writes of ${party.name} go wrong: ${loss}`
}

// Two that write at once, one of them deaf, would overwrite each other for as long as it is: that is what the seat is for.
const deafen = (world: World, happening: Happening, deafness: Exclude<Deafness, undefined>): string => {
  const process = processOf(world, happening)
  const watch = world.options.seated ? process.run?.watchBy(happening.what) : undefined
  if (watch !== undefined) {
    watch.deafness = deafness
    world.healsLate = true
  }
  return `the watch of ${watch?.bucket ?? "nothing"} by ${process.name} ${deafness}`
}

/** What goes wrong, each deed with what it does and what it is called. */
export const faultDeeds: { readonly [D in FaultDeed]: (world: World, happening: Happening) => string } = {
  crash: (world, happening) => {
    const key = moduleOf(world, happening)
    nodeOf(world, happening).crash(key, happening.how % 4 === 0 ? "" : `${key} went down (${happening.how})`)
    return `${key} crashes on ${nodeOf(world, happening).name}`
  },
  slip: (world, { how, what, who }) => {
    const provider = among(world.providers, who)
    const times = 1 + (what % 5)
    for (let at = 0; at < times; at++) {
      provider.slip(among(slips, how))
    }
    return `${provider.module} ${among(slips, how)} ${times === 1 ? "once" : `${times} times`}`
  },
  forget: (world, { who }) => {
    among(world.providers, who).forget()
    return `${among(world.providers, who).module} answers nothing for a while`
  },
  "answer wrongly": (world, happening) => {
    const { how } = happening
    const provider = among(world.providers, how).module
    const claim = `${among(world.nodes, how >>> 3).name}.${consumerOf(world, happening)}.database`
    const key = `${nodeOf(world, happening).name}.${provider}.${claim}`
    const answer: Json = how % 3 === 0 ? { answer: "keep", entry: "0".repeat(32), by: "ann" } : {
      answer: "retire",
      entry: how % 3 === 1 ? "no digest" : "0".repeat(32),
      by: "ann",
      words: "wrong"
    }
    world.operator.desk.put(bucketName.answers, key, answer)
    return `the operator answers ${key} about something else: ${JSON.stringify(answer)}`
  },
  kill: (world, happening) => {
    processOf(world, happening).kill()
    return `${processOf(world, happening).name} is killed`
  },
  start: (world, happening) => {
    processOf(world, happening).start()
    return `${processOf(world, happening).name} is started`
  },
  freeze: (world, happening) => {
    processOf(world, happening).freeze()
    return `${processOf(world, happening).name} freezes`
  },
  wake: (world, happening) => {
    processOf(world, happening).wake()
    return `${processOf(world, happening).name} wakes`
  },
  "cut off": (world, { how, who }) => {
    const process = among(world.processes, who)
    const party = how % 3 === 0 ? process.party : among(world.parties, who)
    if (party.name.startsWith("provisioner-")) {
      world.processes.find(({ name }) => name === party.name)?.cutOff()
    } else {
      party.cutOff()
    }
    return `${party.name} is cut off from the bus`
  },
  restore: (world, { how, who }) => {
    const party = among(world.parties, how + who)
    const cut = world.parties.find(({ isCutOff }) => isCutOff) ?? party
    const process = world.processes.find(({ name }) => name === cut.name)
    if (process === undefined) {
      for (const hear of cut.restore()) {
        hear()
      }
    } else {
      process.restore()
    }
    return `${cut.name} is on the bus again`
  },
  "lose writes": (world, happening) => loseWrites(world, happening, among(losses, happening.how >>> 1)),
  "refuse writes": (world, happening) => {
    // What is refused is not tried again before its bucket is read anew.
    world.healsLate = true
    return loseWrites(world, happening, "refused")
  },
  slow: (world, { how, who }) => {
    const party = among(world.parties, who)
    party.slowness = how % 3 === 0 ? 1 : 3 + (how % 40)
    party.lateUntil = Number.POSITIVE_INFINITY
    return `messages of ${party.name} take ${party.slowness} times as long`
  },
  twice: (world, { how, who }) => {
    among(world.parties, who).twicePercent = how % 60
    return `${how % 60} of a hundred messages come twice to ${among(world.parties, who).name}`
  },
  "end watches": (world, { how }) => {
    const bucket = among(losable(world), how)
    world.bus.endWatches(bucket)
    return `all watches of ${bucket} end`
  },
  hang: (world, happening) => {
    return deafen(world, happening, "hangs")
  },
  "miss deletes": (world, happening) => {
    return deafen(world, happening, "misses deletes")
  },
  "lose bucket": (world, { how, who }) => {
    const bucket = among(losable(world), how)
    const module = moduleOfBoundBucket(bucket)
    world.bus.lose(bucket)
    if (module === undefined || who % 2 === 0) {
      return `bucket ${bucket} is lost`
    }
    world.controller.delete(bucketName.modules, module)
    return `bucket ${bucket} is lost, and the definition of ${module} taken away`
  },
  "bring bucket back": (world, { how }) => {
    const [bucket] = world.bus.lost
    if (bucket !== undefined) {
      world.bringBack(bucket, how % 3 > 0)
    }
    return `bucket ${bucket ?? "none"} is there again, ${how % 3 > 0 ? "as it was" : "empty"}`
  },
  clock: (world, happening) => {
    const millis = happening.how % 2 === 0 ? 1 : -(happening.how % 600_000)
    processOf(world, happening).run?.clockJumps(millis)
    return `the clock of ${processOf(world, happening).name} jumps ${millis > 0 ? "forward" : `${-millis} ms back`}`
  },
  garble: (world, happening) => {
    const { how } = happening
    const node = nodeOf(world, happening)
    const consumer = `${node.name}.${consumerOf(world, happening)}`
    const [bucket, key] = among([
      [bucketName.needs, `${consumer}.bound.database`],
      [bucketName.needs, `${consumer}.${among(brokenNeeds, how >>> 4)}`],
      [bucketName.applied, consumer],
      [bucketName.haves, `${node.name}.${moduleOf(world, happening)}`],
      [bucketName.collect, `${consumer}`],
      [bucketName.needs, `${consumer}.bound.n=C3=A9=`]
    ], how)
    if (how % 7 === 0) {
      node.desk.delete(bucket, key)
    } else {
      node.desk.putText(bucket, key, among(garbage, how >>> 6))
    }
    return `${node.name} writes ${bucket} ${key} out of shape`
  },
  tamper: (world, { how, what }) => {
    const bucket = among(decided, how)
    const keys = [...world.bus.buckets.get(bucket)?.slots.keys() ?? []].filter((key) => key !== epochKey)
    const key = keys.length === 0 ? "n1.planted" : among(keys, what)
    const text = how % 8 < 4 ? undefined : `{"state":"tampered"}`
    world.bus.send({ by: world.operator.party, bucket, key, text, follows: "any" }, () => undefined)
    return `the operator ${text === undefined ? "deletes" : "overwrites"} the decision ${bucket} ${key}`
  }
}
