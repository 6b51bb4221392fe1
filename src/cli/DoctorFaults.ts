/**
 * What `doctor` found wrong, each with what to do.
 */
import type { Examination, Outcome } from "../adapters/nats/Examination.ts"
import type { Act, Probe } from "../adapters/nats/Probes.ts"
import { userName } from "../ports/Grants.ts"

/** Something that is not as it should be. */
export interface Fault {
  readonly what: string
  readonly todo: string
}

/** All that is wrong: what stands in the way of the rest first. */
export const faultsOf = (found: Examination): ReadonlyArray<Fault> => [
  ...serverFaults(found),
  ...inboxFaults(found),
  ...found.results.flatMap((result) => tryFault(result, found)),
  ...bucketFaults(found)
]

const serverFaults = ({ server }: Examination): ReadonlyArray<Fault> => [
  ...(isOlder(server.version) ?
    [{
      what: `The server is nats-server ${server.version}.`,
      todo: `Run ${oldest.join(".")} or later: older ones do not do what buckets here need.`
    }] :
    []),
  ...(server.isJetStreamOn ? [] : [{
    what: "JetStream is off on this server.",
    todo: "Turn it on: nats-server -js, or jetstream { store_dir: … } in its configuration."
  }])
]

const oldest = [2, 9, 10] as const

const isOlder = (version: string): boolean => {
  const parts = version.split(/[.-]/).map(Number)
  const at = oldest.findIndex((part, index) => parts[index] !== part)
  return at >= 0 && (parts[at] ?? 0) < (oldest[at] ?? 0)
}

const inboxFaults = ({ inboxPrefix, isInboxHeard }: Examination): ReadonlyArray<Fault> =>
  isInboxHeard ? [] : [{
    what: "This user may not hear the inboxes that were set: no answer would reach it.",
    todo: `Give --inbox-prefix ${inboxPrefix}, as the rest was tried with.`
  }]

/** A verb that nobody answers is wanting a provisioner, more likely than permission. */
const tryFault = (
  { outcome, probe }: Examination["results"][number],
  found: Examination
): ReadonlyArray<Fault> => {
  const user = userName(found.party)
  if (probe.should) {
    return outcome === "through" ? [] : [{
      what: `${user} cannot ${thing(probe)}: ${howNot[outcome]}.`,
      todo: howToLet(probe.act, outcome)
    }]
  }
  return isThrough(outcome)
    ? [{ what: `${user} can ${thing(probe)}, and should not.`, todo: howToKeep(found) }]
    : []
}

const thing = ({ act, key, of }: Probe): string => {
  switch (act) {
    case "write":
    case "read":
      return `${act} key ${key} of ${of}`
    case "hear":
      return `hear changes of key ${key} of ${of}`
    case "look":
      return `look how ${of} stands, and which keys it has`
    case "follow":
      return `follow ${of} by a consumer`
    case "any":
      return `read any key of ${of}`
    case "make":
      return "make and change buckets"
    case "remove":
      return "remove or empty buckets"
    case "ask":
      return `ask the verb ${of}`
  }
}

const howNot: { readonly [O in Exclude<Outcome, "through">]: string } = {
  denied: "the server does not let it",
  nobody: "nobody is there to hear it",
  silence: "no answer came in time",
  missing: "there is no such bucket"
}

const howToLet = (act: Act, outcome: Outcome): string => {
  switch (outcome) {
    case "missing":
      return toMake
    // Old servers do not say that nobody hears what is asked of another account.
    case "nobody":
    case "silence":
      return act === "ask"
        ? "Start a provisioner, mesh-provisioner serve. Where one runs, have the account import the verb, as grants prints it; " +
          "where it does, --timeout lets the answer take longer."
        : "Make the bucket, mesh-provisioner setup --apply. Where it is there, have the account import it, as grants prints it; " +
          "where it does, --timeout lets the answer take longer."
    case "denied":
    case "through":
      return "Print the permissions by mesh-provisioner grants, with this party among them, and reload the servers."
  }
}

const toMake = "Make it: mesh-provisioner setup --apply, with --providers for the bucket of a provider."

/** Whether what was tried was heard: that there is no such bucket is an answer, too. */
export const isThrough = (outcome: Outcome): boolean => outcome === "through" || outcome === "missing"

const howToKeep = ({ party, results }: Examination): string =>
  results.every(({ outcome }) => isThrough(outcome))
    ? "Nothing keeps this user from anything: run the servers with what mesh-provisioner grants prints."
    : `Give ${userName(party)} no more than mesh-provisioner grants prints for it, and reload the servers.`

const bucketFaults = ({ plans }: Examination): ReadonlyArray<Fault> =>
  plans.flatMap(({ action, bucket, differences }) => {
    switch (action) {
      case "none":
        return []
      case "make":
        return [{ what: `There is no bucket ${bucket}.`, todo: toMake }]
      case "change":
        return differences.map(({ field, isChangeable, shouldBe, why }) => ({
          what: `Bucket ${bucket} is not as it should be: its ${field} is not ${
            JSON.stringify(shouldBe)
          }, so that ${why}.`,
          todo: isChangeable
            ? "Change it: mesh-provisioner setup --apply."
            : "That cannot be changed while the bucket stands: make it anew, and have its writers write again."
        }))
    }
  })
