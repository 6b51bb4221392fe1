/**
 * Faults to be planted in the core: in its rules, its words and its engine.
 */
import { type Plant, plant } from "./Plant.ts"

/** The faults of the core. */
export const corePlants: ReadonlyArray<Plant> = [
  plant("a build not compared", "core/Outcome.ts", "have.build !== assignment.build", "false", "provided by outcome"),
  plant(
    "a stale instance accepted",
    "core/Outcome.ts",
    "entry.for !== undefined && instance !== undefined && entry.for !== instance",
    "false",
    "provided by outcome"
  ),
  plant(
    "an entry by another node accepted",
    "core/Outcome.ts",
    "entry.by !== provider.node",
    "false",
    "provided by outcome"
  ),
  plant(
    "a machine that is lost not looked at",
    "core/Outcome.ts",
    "facts.machines.value(machine)?.lost === true",
    "false",
    "provided by outcome"
  ),
  plant(
    "any word taken for provided",
    "core/Outcome.ts",
    "return entry.state === \"provided\"\n",
    "return entry.state !== \"retired\"\n",
    "provided by outcome"
  ),
  plant(
    "a failure in words of its own",
    "core/words/Decisions.ts",
    ": cut(words, failedWhyCodePointsMax),",
    ": `${on(provider)} failed: ${cut(words, failedWhyCodePointsMax)}`,",
    "failed in its words"
  ),
  plant(
    "a secret in a bucket not seen",
    "core/Outcome.ts",
    "Object.hasOwn(values, field))?.field",
    "Object.hasOwn(values, `${field} `))?.field",
    "provided by outcome"
  ),
  plant(
    "a missing field not seen",
    "core/Outcome.ts",
    "type !== \"secret\" && !isOfType(member(values, field), type)",
    "type !== \"secret\" && false",
    "provided by outcome"
  ),
  plant(
    "credentials not waited for",
    "core/Outcome.ts",
    "outcomeOfCredentials(mesh, claim, credentials) ?? byEntry",
    "byEntry",
    "provided by outcome"
  ),
  plant(
    "an answer that outlives its ask",
    "core/Ask.ts",
    "!mesh.makersOf(entry).has(maker) ||",
    "false ||",
    "as decided"
  ),
  plant(
    "an answer about something else",
    "core/Made.ts",
    "answer.entry !== mesh.digest(whatMakerHas(entry, maker.node))",
    "false",
    "nothing undone"
  ),
  plant(
    "retired while it is needed",
    "core/Ask.ts",
    "return needed ? askWhy.heldNeeded(made) : undefined",
    "return undefined",
    "nothing undone",
    "asked rightly"
  ),
  plant("retired unasked", "core/Ask.ts", "?.retire === \"free\"", "?.retire !== \"free\"", "nothing undone"),
  plant(
    "a broken consumer not held",
    "core/Ask.ts",
    "if (mesh.brokenConsumers.has(made.consumer)) {",
    "if (false) {",
    "nothing undone",
    "asked rightly"
  ),
  plant(
    "a broken definition not held",
    "core/Ask.ts",
    "    : hasBrokenProvision(definition, made.provision)\n  return unsure",
    "    : false\n  return unsure",
    "nothing undone",
    "asked rightly"
  ),
  plant(
    "a missing definition not held",
    "core/Ask.ts",
    "? mesh.assignedModules.has(module)",
    "? false",
    "nothing undone",
    "asked rightly"
  ),
  plant("also forgotten", "core/fact/Bound.ts", "...(entry.also ?? [])", "...[]", "nothing forgotten"),
  plant(
    "a credential retired on a missing bucket",
    "core/CredentialAsk.ts",
    "if (!mesh.facts.bound.has(name.module)) {",
    "if (false) {",
    "asked rightly",
    "nothing undone"
  ),
  plant(
    "a secret undone before what it opens",
    "core/CredentialAsk.ts",
    "opened !== undefined && (opened.value === undefined || mesh.makersOf(opened.value).size > 0)",
    "false",
    "nothing undone",
    "asked rightly"
  ),
  plant(
    "a credential of what is retired still wanted",
    "core/CredentialAsk.ts",
    "ask.state === \"retire\" ? undefined : contractOf",
    "contractOf",
    "asked rightly"
  ),
  plant(
    "held data left for a better provider",
    "core/Resolve.ts",
    "const [holder] = holding\n",
    "const holder = holding.find(() => false)\n",
    "served rightly"
  ),
  plant(
    "two holders taken for one",
    "core/Resolve.ts",
    "return holding.length > 1\n",
    "return holding.length > 2\n",
    "served rightly"
  ),
  plant(
    "a draining provider chosen",
    "core/Resolve.ts",
    "return isDraining && contract.credential === \"consumer\"",
    "return false && contract.credential === \"consumer\"",
    "served rightly"
  ),
  plant(
    "a pin not heeded",
    "core/Resolve.ts",
    "if (pin !== undefined && excludes(pin, candidate)) {",
    "if (false) {",
    "served rightly"
  ),
  plant(
    "the seat of a provision not heeded",
    "core/Resolve.ts",
    "(holder?.node !== candidate.node || holder.module !== candidate.module)",
    "false",
    "served rightly"
  ),
  plant(
    "a sort by locale",
    "core/Digest.ts",
    "of Object.keys(value).sort()",
    "of Object.keys(value).sort((one, other) => one.localeCompare(other))",
    "as decided",
    "at rest"
  ),
  plant(
    "asks sorted by locale",
    "core/Ask.ts",
    "[...new Set(items)].sort()",
    "[...new Set(items)].sort((one, other) => one.localeCompare(other))",
    "asked rightly"
  ),
  plant(
    "a value in a why",
    "core/Provision.ts",
    "why: needWhy.entry(who, at) }",
    "why: `${needWhy.entry(who, at)}: ${JSON.stringify(value)}` }",
    "no secret"
  ),
  plant(
    "a plan ready with a need open",
    "core/Plan.ts",
    "need.provision.state !== \"provided\" && need.counts",
    "need.provision.state === \"refused\" && need.counts",
    "planned rightly"
  ),
  plant("optional needs that block", "core/Plan.ts", "need?.value?.optional !== true", "true", "planned rightly"),
  plant(
    "a vault that is another module",
    "core/Mesh.ts",
    "return seat === \"vault\" && holder.module !== vaultModule",
    "return seat === \"\" && holder.module !== vaultModule",
    "provided by outcome",
    "asked rightly",
    "asked for a fact"
  ),
  plant(
    "a default that wins over the entry",
    "core/Provision.ts",
    "  if (value !== undefined) {\n    return entry(",
    "  if (value !== undefined && need.value.default === undefined) {\n    return entry(",
    "provided by outcome"
  ),
  plant(
    "a machine's loss noticed by nobody",
    "core/engine/NoticeShared.ts",
    "const isLost = (before?.value?.lost === true) !== (after?.value?.lost === true)",
    "const isLost = false",
    "provided by outcome",
    "asked for a fact"
  ),
  plant(
    "a seat that changes hands noticed by nobody",
    "core/engine/NoticeShared.ts",
    "  noticeSeatsNeeds(world, seat)\n  for",
    "  for",
    "provided by outcome",
    "asked for a fact",
    "as decided"
  )
]
