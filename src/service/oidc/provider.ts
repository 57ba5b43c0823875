import type { Method } from '../age/methods.ts'
import type { AssuranceLevel, Vocabulary } from '../age/vocabulary.ts'
import { ENDPOINTS } from './endpoints.ts'
import type { IssuedForm, Policy } from './policy.ts'
import type { AgeKeys, Awaitable, Clients, Clock, Ids, Lifetimes, Signer, Store } from './ports.ts'
import type { Brand, Profile } from './rules/profile.ts'

/** The certified ISO 27566-1 level of providers of age signals, by provenance and method. */
export type Certifications = Readonly<
  Record<string, Readonly<Partial<Record<Method, AssuranceLevel>>>>
>

/** One OpenID provider: its settings, and its ports. */
export interface Provider {
  /** Without a trailing slash; all endpoints and issuers begin with it. */
  readonly baseUrl: string
  readonly profile: Profile
  /** The word in the upgrade scope, the upgrade path and the `request_uri`. */
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

/** `iss` of the id_token, and the issuer of the Use discovery document. */
export const useIssuer = (provider: Pick<Provider, 'baseUrl'>) =>
  provider.baseUrl + ENDPOINTS.use.path

/** The issuer of the Create discovery document. */
export const createIssuer = (provider: Pick<Provider, 'baseUrl'>) =>
  provider.baseUrl + ENDPOINTS.create.path

/** The instant `seconds` from now, in milliseconds of the clock. */
export const inSeconds = (provider: Pick<Provider, 'clock'>, seconds: number) =>
  provider.clock.now() + seconds * 1000

/**
 * A code, an access token or the identifier of a `request_uri` in the form in which it is issued;
 * different for each `id`.
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
      // Header, signature and base64url make the token some 1,000 characters long.
      return signer.sign({ jti: id, padding: 'x'.repeat(380) })
  }
}
