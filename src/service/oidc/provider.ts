import type { Method } from '../age/methods.ts'
import type { AssuranceLevel, Vocabulary } from '../age/vocabulary.ts'
import { ENDPOINTS } from './endpoints.ts'
import type { IssuedForm, Policy } from './policy.ts'
import type { AgeKeys, Awaitable, Clients, Clock, Ids, Lifetimes, Signer, Store } from './ports.ts'
import type { Brand, Profile } from './rules/profile.ts'

/** Certified ISO 27566-1 levels, by provenance and method. */
export type Certifications = Readonly<
  Record<string, Readonly<Partial<Record<Method, AssuranceLevel>>>>
>

/** One OpenID provider: its settings and its ports. */
export interface Provider {
  /** The base URL without a trailing slash. All endpoints and issuers begin with it. */
  readonly baseUrl: string
  readonly profile: Profile
  /** The brand word: part of the upgrade scope, the upgrade path and the `request_uri`. */
  readonly brand: Brand
  readonly policy: Policy
  readonly lifetimes: Lifetimes
  readonly vocabulary: Vocabulary
  readonly certifications: Certifications
  readonly clock: Clock
  readonly store: Store
  readonly ids: Ids
  readonly signer: Signer
  readonly clients: Clients
  readonly ageKeys: AgeKeys
}

/** The issuer of the Use flow: `iss` of the id_token and `issuer` of the discovery document. */
export const useIssuer = (provider: Pick<Provider, 'baseUrl'>) =>
  provider.baseUrl + ENDPOINTS.use.path

/** The issuer of the Create flow, in its discovery document. */
export const createIssuer = (provider: Pick<Provider, 'baseUrl'>) =>
  provider.baseUrl + ENDPOINTS.create.path

/** The time in `seconds` seconds, in milliseconds since the UNIX epoch, by the sandbox clock. */
export const inSeconds = (provider: Pick<Provider, 'clock'>, seconds: number) =>
  provider.clock.now() + seconds * 1000

/**
 * Writes a code, an access token or the identifier of a `request_uri` in the form that the policy
 * selects. Different `id`s give different results.
 */
export function inIssuedForm(
  id: string,
  form: IssuedForm,
  { signer }: Pick<Provider, 'signer'>,
): Awaitable<string> {
  switch (form) {
    case 'short':
      return id
    case 'base64':
      return `+/${id.replaceAll('-', '+').replaceAll('_', '/')}==`
    case 'jwt':
      // With its header and signature in base64url the token has about 1,000 characters.
      return signer.sign({ jti: id, padding: 'x'.repeat(380) })
  }
}
