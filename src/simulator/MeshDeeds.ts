/**
 * What happens to a simulated mesh that happens to any: what the controller, the operator and the nodes' clients say.
 */
import { bucketName } from "../core/BucketName.ts"
import type { JsonObject } from "../core/Json.ts"
import { canary, needs, providers, seats } from "./Cast.ts"
import { among, consumerOf, moduleOf, nodeOf } from "./Choosing.ts"
import { readNode } from "./Entry.ts"
import type { Happening, MeshDeed } from "./Plot.ts"
import type { World } from "./World.ts"

/** What happens in any mesh, each deed with what it does and what it is called. */
export const meshDeeds: { readonly [D in MeshDeed]: (world: World, happening: Happening) => string } = {
  assign: (world, happening) => {
    const key = `${nodeOf(world, happening).name}.${moduleOf(world, happening)}`
    const assignment = assignmentOf(world, happening)
    world.controller.put(bucketName.assignments, key, assignment)
    return `the controller assigns ${key} ${JSON.stringify(assignment)}`
  },
  unassign: (world, happening) => {
    const key = `${nodeOf(world, happening).name}.${moduleOf(world, happening)}`
    world.controller.delete(bucketName.assignments, key)
    return `the controller assigns ${key} no more`
  },
  define: (world, { how, what }) => {
    const { definitions, module } = among(providers, what)
    const definition = how % 2 === 0 ? definitions[0] : among(definitions, how >>> 1)
    world.controller.put(bucketName.modules, module, definition)
    return `the controller defines ${module} ${JSON.stringify(definition)}`
  },
  undefine: (world, { what }) => {
    const { module } = among(providers, what)
    world.controller.delete(bucketName.modules, module)
    return `the controller takes the definition of ${module} away`
  },
  machine: (world, happening) => {
    const { how } = happening
    const { name } = nodeOf(world, happening)
    const machine = { site: how % 2 === 0 ? "home" : "away", seal: canary, ...(how % 5 === 0 ? { lost: true } : {}) }
    world.controller.put(bucketName.machines, name, machine)
    return `the controller says of machine ${name} ${JSON.stringify(machine)}`
  },
  seat: (world, happening) => {
    const { how, what } = happening
    const seat = among(seats, what)
    const module = seat === "vault"
      ? (how % 9 === 0 ? "maria" : "mesh-vault")
      : among(["ledger", "maria", "Redis", "proxy"], how)
    const holder = { node: readNode(nodeOf(world, happening).name), module }
    world.controller.put(bucketName.seats, seat, holder)
    return `the controller gives seat ${seat} to ${JSON.stringify(holder)}`
  },
  unseat: (world, { what }) => {
    world.controller.delete(bucketName.seats, among(seats, what))
    return `the controller gives seat ${among(seats, what)} to nobody`
  },
  need: (world, happening) => {
    const { how } = happening
    const { kind, name, values } = among(needs, how >>> 3)
    const node = nodeOf(world, happening)
    const key = `${node.name}.${how % 29 === 0 ? "postgres" : consumerOf(world, happening)}.${kind}.${name}`
    const value = how % 3 < 2 ? values[0] : among(values, how >>> 8)
    node.desk.put(bucketName.needs, key, value)
    return `${node.name} needs ${key} ${JSON.stringify(value)}`
  },
  "need no more": (world, happening) => {
    const node = nodeOf(world, happening)
    const keys = node.desk.keys(bucketName.needs)
    const { kind, name } = among(needs, happening.how)
    const key = `${node.name}.${consumerOf(world, happening)}.${kind}.${name}`
    const meant = happening.how % 2 === 0 || keys.length === 0 ? key : among(keys, happening.how >>> 1)
    node.desk.delete(bucketName.needs, meant)
    return `${node.name} needs ${meant} no more`
  },
  leave: (world, happening) => {
    const node = nodeOf(world, happening)
    const consumer = `${node.name}.${consumerOf(world, happening)}`
    for (const bucket of [bucketName.needs, bucketName.applied]) {
      for (const key of node.desk.keys(bucket).filter((key) => key === consumer || key.startsWith(`${consumer}.`))) {
        node.desk.delete(bucket, key)
      }
    }
    return `${consumer} needs nothing any more`
  },
  collect: (world, happening) => {
    const node = nodeOf(world, happening)
    const key = `${node.name}.${happening.how % 2 === 0 ? "shell=3Azsh=3Anormal" : "menu"}.${
      consumerOf(world, happening)
    }`
    if (happening.how % 5 === 0) {
      node.desk.delete(bucketName.collect, key)
    } else {
      node.desk.put(bucketName.collect, key, [canary, happening.how % 7])
    }
    return `${node.name} has something else in collection ${key}`
  },
  set: (world, happening) => {
    const key = `${nodeOf(world, happening).name}.${consumerOf(world, happening)}.color`
    world.operator.desk.put(bucketName.configValues, key, { value: `${canary} ${happening.how % 5}` })
    return `the operator sets ${key}`
  },
  unset: (world, happening) => {
    const key = `${nodeOf(world, happening).name}.${consumerOf(world, happening)}.color`
    world.operator.desk.delete(bucketName.configValues, key)
    return `the operator sets ${key} no more`
  },
  license: (world, happening) => {
    const key = `gold.${happening.how % 3 === 0 ? "shared" : nodeOf(world, happening).name}`
    if (happening.how % 4 === 0) {
      world.controller.delete("Redis_licences", key)
    } else {
      world.controller.put("Redis_licences", key, `${canary} ${happening.how % 3}`)
    }
    return `licence ${key} is another`
  },
  move: (world, { who }) => {
    among(world.providers, who).move()
    return `${among(world.providers, who).module} moves: its values are others`
  }
}

const assignmentOf = (world: World, happening: Happening): JsonObject => {
  const { how } = happening
  const bits = how >>> 3
  const pins = bits % 11 === 0
    ? { pins: { database: { node: readNode(among(world.nodes, how >>> 7).name) }, cache: { module: "Redis" } } }
    : bits % 11 === 1
    ? { pins: { "database.two": { module: "maria" }, database: { module: "postgres" } } }
    : {}
  return {
    build: `b${1 + (how % 3)}`,
    ...(bits % 3 === 0 ? {} : { instance: `i${1 + (bits % 2)}` }),
    ...pins,
    ...(bits % 4 === 0 ? { placement: { port: { http: 8000 + (how % 4) }, note: canary } } : {}),
    ...(bits % 13 === 0 ? { draining: true } : {})
  }
}
