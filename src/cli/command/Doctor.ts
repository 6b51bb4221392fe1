/**
 * `doctor`, as a person sees it.
 */
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import { busFlags } from "./BusFlags.ts"
import { partiesFlags } from "./Grants.ts"
import { json, runBy, text } from "./Parts.ts"

/** A look at the bus as one of its users. */
export const doctor = Command.make("doctor", {
  as: text(
    "as",
    "USER",
    "As whom to look, as grants names users (client:n1, operator:ann); else as the server says"
  ),
  providers: partiesFlags.providers,
  buckets: partiesFlags.buckets,
  json: json("{ server, as, account?, inboxPrefix, apiPrefix, seat?, tries, wrong }"),
  connection: busFlags
}, ({ as, ...config }) => runBy(() => import("../Doctor.ts"), { ...config, as: Option.getOrUndefined(as) })).pipe(
  Command.withDescription(
    "Look whether this user can reach, read and write what it should, and nothing else; say what is wrong, and what to do. " +
      "Nothing is changed. Exit code 1 where anything is wrong."
  ),
  Command.withShortDescription("Look whether this user may do what it should"),
  Command.withExamples([
    {
      command: "mesh-provisioner doctor --nkey keys/client.n1.nk --as client:n1 --providers postgres@n2",
      description: "As the client of n1"
    },
    {
      command: "mesh-provisioner doctor --nkey keys/provisioner.nk --inbox-prefix _INBOX.provisioner",
      description: "As the provisioner, as far as the server knows who that is"
    }
  ])
)
