import type { Check } from '../outcome.ts'
import { FAMILIES, type Family } from '../outcome-row.ts'

/** The name of a check in a list, what a correct client checks, and the harm of the rows that are about it. */
const says = (title: string, family: Family, rule: string) => ({ title, rule, harm: FAMILIES[family].harm })

// biome-ignore format: a line or two for each check
/** What a report says of each check that a relying party makes. */
export const CHECK_TEXTS: Readonly<Record<Check, ReturnType<typeof says>>> = {
  state: says('state', 'state', 'state equals the one that this browser was sent away with, and serves once.'),
  parameters: says('parameters', 'parameters', 'Each parameter comes once, and exactly one result is there.'),
  response_mode: says('response mode', 'response_mode', 'The answer comes in the response_mode that was asked for.'),
  error: says('error', 'error', 'A callback with an error is no result, whatever stands beside it.'),
  code: says('code', 'code', 'A code comes only with the upgrade scope, when no threshold is met.'),
  create_requested: says('create request', 'create_request', 'create_requested is true, and the request said can_create=true.'),
  callback_iss: says('iss parameter', 'mix_up', 'The parameter iss, when there is one, is the issuer (RFC 9207).'),
  size: says('size', 'limits', 'A token above a few kilobytes is refused before anything parses it.'),
  serialisation: says('serialisation', 'serialisation', 'The id_token is three parts of base64url without padding.'),
  alg: says('algorithm', 'algorithm', 'The token is verified with the agreed algorithm, not with the one it names.'),
  kid: says('key id', 'header', 'kid names a key of the published key set.'),
  key_source: says('key source', 'key_source', 'Keys come from the published key set, and none from the token.'),
  crit: says('critical extensions', 'header', 'A crit header with an unknown extension is refused.'),
  typ: says('token type', 'header', 'typ is JWT or absent.'),
  signature: says('signature', 'signature', 'The signature verifies with the published key that kid names.'),
  payload: says('payload', 'payload', 'The payload is a JSON object whose members come once.'),
  iss: says('issuer', 'issuer', 'iss equals {base_url}/v1/oidc/use, character by character.'),
  aud: says('audience', 'audience', 'aud contains the client_id of your app.'),
  azp: says('authorized party', 'authorized_party', 'With a further audience azp is the client_id of your app.'),
  exp: says('expiry', 'expiry', 'exp is in the future, give or take a minute for the skew of clocks.'),
  lifetime: says('lifetime', 'lifetime', 'exp is at most ten minutes ahead.'),
  iat: says('issued at', 'issued_at', 'iat is a number of seconds, and not before the flow began.'),
  nbf: says('not before', 'not_before', 'nbf, when there is one, is not in the future.'),
  nonce: says('nonce', 'nonce', 'nonce equals the one that this session sent, and serves once.'),
  sub: says('subject', 'subject', 'sub is a string of 1 to 255 characters, and is logged.'),
  req_claims_hash: says('request hash', 'claims_hash', 'req_claims_hash is the hash of the claims text that was sent.'),
  c_hash: says('code hash', 'code_hash', 'c_hash is there when a code is, and fits it.'),
  age_thresholds: says('age thresholds', 'thresholds', 'Each answer is compared with === true; nothing else is a yes.'),
  requested_thresholds: says('requested thresholds', 'requested_thresholds', 'Only requested thresholds are read.'),
  connection: says('connection', 'connection', 'A call without a reply, or with a late one, has failed.'),
  redirect: says('redirect', 'redirect', 'A call from server to server follows no redirect.'),
  status: says('HTTP status', 'failure', 'Only the status of a success counts as one.'),
  body: says('body', 'failure', 'The body is JSON, whole and of the expected form.'),
  request_uri: says('request_uri', 'pushed_request', 'request_uri is a URN.'),
  expires_in: says('expires_in', 'access_token', 'expires_in, when there is one, is a number of seconds.'),
  access_token: says('access token', 'access_token', 'access_token is a string that is not empty.'),
  token_type: says('type of the access token', 'access_token', 'token_type is Bearer, in whatever case.'),
  ok: says('OK of the upgrade', 'upgrade', 'The reply is the JSON string "OK".'),
  issuer: says('issuer of the discovery', 'discovery', 'The issuer in the document is the one that was asked.'),
  jwks_uri: says('jwks_uri', 'discovery', 'jwks_uri is an address on the host of the issuer.'),
  authorization_endpoint: says('authorization endpoint', 'discovery', 'The address is on the host of the issuer.'),
  keys: says('key set', 'key_set', 'The key set is JSON with at least one key; without it nothing is verified.'),
}
