import { didYouMean, excerpt, listed } from '../../text/message-parts.ts'

/** Parameters of OAuth 2.0 and OpenID Connect, by the document that defines them. Each endpoint uses a few of them. */
const STANDARD_PARAMETERS: readonly (readonly [standard: string, names: string])[] = [
  ['RFC 6749', 'client_id code grant_type password redirect_uri refresh_token response_type scope state username'],
  ['RFC 6750', 'access_token'],
  ['RFC 7521', 'assertion client_assertion client_assertion_type'],
  ['RFC 7636, PKCE', 'code_challenge code_challenge_method code_verifier'],
  ['RFC 8693', 'audience'],
  ['RFC 8707', 'resource'],
  ['RFC 9101', 'request request_uri'],
  ['RFC 9396', 'authorization_details'],
  ['RFC 9449, DPoP', 'dpop_jkt'],
  ['OAuth 2.0 Multiple Response Types', 'response_mode'],
  [
    'OpenID Connect Core',
    'acr_values claims claims_locales display id_token_hint login_hint max_age nonce prompt registration ui_locales',
  ],
]

/** What to say of a parameter that an endpoint ignores: one of a standard is no spelling mistake. */
export function ignoredParameter(name: string, known: readonly string[]): string {
  if (name === 'client_secret')
    return 'client_secret is for E2 and E4 and must never reach a browser: it was ignored. The secret is burnt, since browsers and logs keep addresses: replace it'
  const [standard] = STANDARD_PARAMETERS.find(([, names]) => names.split(' ').includes(name)) ?? []
  return standard === undefined
    ? `${excerpt(name)} is not known and was ignored.${didYouMean(name, known) || ` Known: ${listed(known)}.`}`
    : `${name} is a standard parameter (${standard}) that this endpoint does not use: it was ignored`
}
