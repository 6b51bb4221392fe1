/**
 * What a request is told that never comes as far as its verb (protocol §8).
 */

/** Why a request is refused at the door. */
export const doorWhy = {
  noAccount: () =>
    "the caller's account is none of the mesh's; those are called node:<node>, provider:<module>@<node>, " +
    "operator:<name> or reader:<name>, node and name written as tokens",
  notJson: (fault: string) => `the request cannot be read: ${fault}`,
  longRequest: (bytesMax: number) =>
    `the request is larger than any that this verb knows; send at most ${bytesMax} bytes`,
  noRoom: () =>
    "the answer is more than the bus carries in one message; ask for less of it, or let the server carry more",
  defect: () => "the provisioner could not answer, by a fault of its own, which its log speaks of"
}
