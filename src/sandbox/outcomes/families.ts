import { replyOf } from '../../service/oidc/endpoints.ts'
import { CHECK_ROWS, type FamilyColumns } from './outcome.ts'

const said = (section: string, words: string) => `specification, "${section}": "${words}"`

/** Quotations of the specification with their headings, which the rows cite. */
export const SAID = {
  signature: said('Authentication', 'signature against the published key set'),
  iss: said('Authentication', 'iss equals {base_url}/v1/oidc/use'),
  aud: said('Authentication', 'aud contains client_id'),
  exp: said('Authentication', 'exp in the future'),
  nonce: said('Authentication', 'nonce equals the sent value'),
  state: said('Authentication', 'It compares state on return.'),
  validated: said('E1. Use authorization', "Must be validated on the client's server."),
  idTokenIsSuccess: said('E1. Use authorization', 'id_token | success'),
  createRequested: said(
    'E1. Use authorization',
    'can_create=true was sent and the user chose to create | true. No id_token.',
  ),
  mode: said('E1. Use authorization', 'in the fragment unless response_mode says otherwise'),
  answers: said(
    'ID token claims',
    'Map from each requested threshold (as a string key) to a boolean.',
  ),
  claimsHash: said('ID token claims', 'Base64url SHA-256 hash of the claims JSON that was sent.'),
  sub: said('ID token claims', 'The client logs it for invalidation auditing.'),
  idTokenLifetime: said('ID token claims', '10 minutes of validity.'),
  verified: said(
    'States and transitions',
    'Thresholds evaluated, no upgrade scope | id_token, state',
  ),
  code: said(
    'States and transitions',
    'Upgrade scope requested and all thresholds false | code, id_token, state',
  ),
  noCode: said(
    'States and transitions',
    'Upgrade scope requested and at least one threshold true | id_token, state only',
  ),
  created: said('States and transitions', 'Age key created | state, no error'),
  createSuccess: said('What the service does', 'Success is the absence of an error parameter.'),
  createInQuery: said(
    'E3. Create authorization',
    'redirect to redirect_uri with state in the query string',
  ),
  parSuccess: replyOf('par').source,
  tokenSuccess: replyOf('token').source,
  accessToken: said('Token response', 'access_token | string | Bearer token for the upgrade call.'),
  tokenType: said('Token response', 'token_type | string | Bearer.'),
  upgradeSuccess: replyOf('upgrade').source,
  keySet: said(
    'E6. Discovery and keys',
    'GET {base_url}/.well-known/jwks.json | Public keys for verifying id_token signatures.',
  ),
} as const

type OwnColumns = Partial<FamilyColumns> & Pick<FamilyColumns, 'severity' | 'cwe' | 'refs' | 'harm'>

/**
 * The families, about mistakes in an id_token, right answers, mistakes in a callback, and mistakes
 * in the reply to a call. By default the rows of a family break the first check of `CHECK_TABLE`
 * that names the family.
 */
export const FAMILIES = {
  signature: {
    severity: 9.8,
    cwe: [347],
    refs: [SAID.signature, 'OpenID Connect Core 1.0 section 3.1.3.7 (6)'],
    harm: 'An attacker writes an id_token that says 18, and a child is let in.',
  },
  algorithm: {
    severity: 9.8,
    cwe: [347, 757],
    refs: [SAID.signature, 'OpenID Connect Core 1.0 section 3.1.3.7 (7)', 'RFC 8725 section 3.1'],
    harm: 'An attacker makes an id_token that says 18 without any key of the service.',
    breaks: ['alg', 'signature'],
  },
  key_source: {
    severity: 9.8,
    cwe: [347],
    refs: [SAID.signature, 'OpenID Connect Core 1.0 section 2'],
    harm: 'An attacker signs an id_token with a key of their own, which the token itself brings along.',
    breaks: ['key_source', 'signature'],
  },
  header: {
    level: 'may',
    severity: 3.7,
    cwe: [347],
    refs: ['OpenID Connect Core 1.0 section 10.1', 'RFC 7515 section 4.1.4'],
    harm: 'Tokens that are meant for another purpose, or name no key of the service, pass for an id_token.',
  },
  serialisation: {
    severity: 3.1,
    cwe: [1286],
    refs: ['RFC 7515 section 5.2', 'RFC 7519 section 7.2'],
    harm: 'Two readers of one text see different tokens: one verifies what the other does not read.',
  },
  payload: {
    severity: 4.3,
    cwe: [20, 1286],
    refs: ['RFC 7519 section 7.2 (10)'],
    harm: 'A payload that can be read in two ways is taken in the way that suits an attacker.',
  },
  limits: {
    level: 'may',
    severity: 5.3,
    cwe: [770],
    refs: ['RFC 8259 section 9'],
    harm: 'A few requests with tokens of this size keep a server busy or end its process.',
  },
  issuer: {
    severity: 8.1,
    cwe: [346],
    refs: [SAID.iss, 'OpenID Connect Core 1.0 section 3.1.3.7 (2)'],
    harm: 'A token of another issuer passes: of a test system, which says 18 of every user, or of a service with other rules.',
  },
  audience: {
    severity: 8.1,
    cwe: [345, 863],
    refs: [SAID.aud, 'OpenID Connect Core 1.0 section 3.1.3.7 (3)'],
    harm: 'The operator of any other client replays a token that an adult got there.',
  },
  authorized_party: {
    level: 'should',
    severity: 5.4,
    cwe: [345, 863],
    refs: [
      'OpenID Connect Core 1.0 section 3.1.3.7 (3)',
      'OpenID Connect Core 1.0 section 3.1.3.7 (5)',
    ],
    harm: 'Another client that shares the audience replays a token that was made for it.',
  },
  subject: {
    level: 'should',
    severity: 3.1,
    cwe: [1287],
    refs: ['OpenID Connect Core 1.0 section 2', SAID.sub],
    harm: 'A verification that is found fraudulent later cannot be found again, and its user stays in.',
  },
  expiry: {
    severity: 7.4,
    cwe: [613],
    refs: [SAID.exp, 'OpenID Connect Core 1.0 section 3.1.3.7 (9)'],
    harm: 'A token that was copied long ago from a log, a history or a backup still opens the door.',
  },
  lifetime: {
    layer: 'service',
    // The specification only requires that exp is in the future. It lists no check of the lifetime.
    level: 'may',
    severity: 4.8,
    cwe: [613],
    refs: [SAID.idTokenLifetime],
    harm: 'A token that was copied stays good for far longer than the ten minutes of the service.',
  },
  issued_at: {
    level: 'should',
    severity: 4.2,
    cwe: [613, 1287],
    refs: ['OpenID Connect Core 1.0 section 2', 'OpenID Connect Core 1.0 section 3.1.3.7 (10)'],
    harm: 'A token that was issued before the flow, to another user, passes for the answer to it.',
  },
  not_before: {
    level: 'should',
    severity: 4.2,
    cwe: [20],
    refs: ['RFC 7519 section 4.1.5'],
    harm: 'A token counts before its time.',
  },
  nonce: {
    severity: 8.1,
    cwe: [294],
    refs: [SAID.nonce, 'OpenID Connect Core 1.0 section 3.2.2.11'],
    harm: 'One id_token of one adult serves any number of children.',
  },
  claims_hash: {
    layer: 'service',
    // The specification defines the hash but does not list it among the checks.
    level: 'may',
    severity: 6.5,
    cwe: [345],
    refs: [SAID.claimsHash],
    harm: 'A child changes the claims in the address bar and is asked for less: a weaker method, a lower age.',
  },
  code_hash: {
    level: 'should',
    severity: 5.9,
    cwe: [345],
    refs: ['OpenID Connect Core 1.0 section 3.3.2.10', 'OpenID Connect Core 1.0 section 3.3.2.11'],
    harm: 'A code of another user is slipped in, and the wrong age key is upgraded.',
  },
  thresholds: {
    layer: 'service',
    severity: 9.1,
    cwe: [704, 1287],
    refs: [SAID.answers],
    harm: 'A child is let in: what says no, or nothing, is read as yes.',
  },
  requested_thresholds: {
    layer: 'service',
    level: 'should',
    severity: 6.5,
    cwe: [1287],
    refs: [SAID.answers],
    harm: 'The answer to another question counts: a child is let in by a threshold that was not asked for.',
  },
  ending: {
    severity: 5.3,
    cwe: [],
    refs: [SAID.verified],
    harm: 'A user with a right answer is turned away.',
  },
  control: {
    level: 'should',
    severity: 4.3,
    cwe: [],
    refs: [],
    harm: 'A user with a right answer is turned away, often on the day when the service changes a detail.',
  },
  no_answer: {
    level: 'may',
    severity: 5.3,
    cwe: [636],
    refs: [],
    harm: 'A user who never comes back from the service is let in.',
  },
  error: {
    severity: 9.1,
    cwe: [636, 754],
    refs: [SAID.idTokenIsSuccess, 'OpenID Connect Core 1.0 section 3.2.2.6'],
    harm: 'A child presses Cancel and is let in.',
  },
  create_error: {
    severity: 4.3,
    cwe: [754],
    refs: [SAID.createSuccess, 'RFC 6749 section 4.1.2.1'],
    harm: 'The app tells a user that an age key was saved, and there is none.',
    breaks: ['error'],
  },
  state: {
    severity: 6.5,
    cwe: [352],
    refs: [SAID.state, 'RFC 6749 section 10.12', 'RFC 9700 section 4.7'],
    harm: 'An attacker makes another browser end a flow that it never began, and ties its session to an answer of their own.',
  },
  parameters: {
    level: 'should',
    severity: 5.4,
    cwe: [235],
    refs: ['RFC 6749 section 3.1'],
    harm: 'Two readers of one callback see different values: one checks what the other does not use.',
  },
  response_mode: {
    level: 'may',
    severity: 3.7,
    cwe: [598],
    refs: [SAID.mode, 'OAuth 2.0 Multiple Response Type Encoding Practices section 2.1'],
    harm: 'An id_token stands in logs and histories that were never meant to hold one.',
  },
  mix_up: {
    level: 'may',
    severity: 5.4,
    cwe: [346],
    refs: ['RFC 9207 section 2.4', 'RFC 9700 section 4.4'],
    harm: 'The answer of another server passes for that of the service.',
  },
  create_request: {
    layer: 'service',
    level: 'should',
    severity: 4.3,
    cwe: [841],
    refs: [SAID.createRequested],
    harm: 'A user leaves the age check by a way that the app did not offer.',
  },
  code: {
    level: 'may',
    severity: 4.8,
    cwe: [841],
    refs: [SAID.code, SAID.noCode],
    harm: 'A flow goes on to an upgrade that the service did not offer, or ends without the one that it did.',
    layer: 'service',
  },
  failure: {
    severity: 5.3,
    cwe: [252, 754],
    refs: ['RFC 9110 section 15'],
    harm: 'A call that failed counts as done: the app says so to the user, and to its own records.',
    breaks: ['status', 'body'],
  },
  redirect: {
    // RFC 9110 allows a client to follow a redirect, and advises against sending credentials along.
    level: 'may',
    severity: 7.4,
    cwe: [522],
    refs: ['RFC 9110 section 15.4'],
    harm: 'The client_secret, a code or an access token is sent to a server that an attacker chooses.',
  },
  connection: {
    level: 'may',
    severity: 4.3,
    cwe: [754],
    refs: ['RFC 9110 section 9.2.2'],
    harm: 'A call without an answer counts as done, or holds a user and a connection for as long as it lasts.',
  },
  pushed_request: {
    severity: 4.3,
    cwe: [20, 754],
    refs: [SAID.parSuccess, 'RFC 9126 section 2.2'],
    harm: 'The user is sent away with a reference that does not exist, and the age key is lost.',
  },
  access_token: {
    severity: 4.3,
    cwe: [20, 754],
    refs: [SAID.accessToken, 'RFC 6749 section 5.1'],
    harm: 'The app goes on to an upgrade without a usable access token, and takes it for done.',
    breaks: ['access_token'],
  },
  upgrade: {
    layer: 'service',
    severity: 5.3,
    cwe: [252, 754],
    refs: [SAID.upgradeSuccess],
    harm: 'The app and its records say that the age key is upgraded, and that is not known.',
  },
  discovery: {
    severity: 7.4,
    cwe: [346],
    refs: ['OpenID Connect Discovery 1.0 section 4.3'],
    harm: 'Endpoints and keys of another server are taken for those of the service.',
  },
  key_set: {
    severity: 8.1,
    cwe: [347],
    refs: [SAID.signature, 'OpenID Connect Core 1.0 section 3.1.3.7 (6)'],
    harm: 'An id_token passes that no key of the service verifies.',
  },
} satisfies Readonly<Record<string, OwnColumns>>

export type Family = keyof typeof FAMILIES

/** All columns of a family, with the defaults. */
export const familyOf = (name: Family): FamilyColumns => ({
  level: 'must',
  bait: 'adult',
  layer: 'oidc',
  breaks: CHECK_ROWS.filter(({ family }) => family === name)
    .slice(0, 1)
    .map((check) => check.name),
  ...FAMILIES[name],
})
