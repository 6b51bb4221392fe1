/**
 * Credentials (protocol §6.1): a provider declares a secret once, as a field of its contract, and it is expanded for each
 * consumer into a claim that the vault answers.
 */
import { credentialName, type ProvisionContract } from "./fact/Definition.ts"
import { isModuleName, readToken, writeToken } from "./Name.ts"

/** A claim on a provider module's provision, of a consumer. */
export interface OpenedClaim {
  readonly node: string
  readonly module: string
  readonly provision: string
  readonly local?: string | undefined
  /** The key of the consumer's assignment. */
  readonly consumer: string
}

/** What the vault is asked for, so that a consumer can open what a provider made for it. */
export interface Credential extends OpenedClaim {
  /** The secret field of the provider's contract that it is the value of. */
  readonly field: string
  /** The key of the credential's claim. */
  readonly key: string
}

/** The credentials of a claim at one provider module, by the secret fields of its contract, in their order. */
export const credentialsOf = (
  { consumer, local, module, node, provision }: OpenedClaim,
  providerModule: string,
  contract: ProvisionContract
): ReadonlyArray<Credential> =>
  contract.secretFields.length === 0 ? noCredentials : contract.secretFields.map(({ credential, field, token }) => {
    const name = local === undefined ? credential : credentialName(providerModule, provision, local, field)
    return {
      field,
      node,
      module,
      consumer,
      provision: "credential",
      local: name,
      key: [consumer, "credential", local === undefined ? token : writeToken(name)].join(".")
    }
  })

const noCredentials: ReadonlyArray<Credential> = []

/** What a credential's name says that it opens, if it reads as one: `<provider module>.<provision>[.<local>].<field>`. */
export const readCredentialName = (
  name: string
):
  | { readonly module: string; readonly provision: string; readonly local?: string; readonly field: string }
  | undefined =>
{
  const names = name.split(".").map(readToken)
  const [module, provision, ...rest] = names.filter((token) => token !== undefined)
  const field = rest.at(-1)
  if (names.includes(undefined) || names.length < 3 || names.length > 4) {
    return undefined
  }
  if (module === undefined || provision === undefined || field === undefined || !isModuleName(module)) {
    return undefined
  }
  const local = names.length === 4 ? rest[0] : undefined
  return { module, provision, field, ...(local === undefined ? {} : { local }) }
}
