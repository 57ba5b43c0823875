import { selectRows } from '../../../src/audit/plan/select-rows.ts'
import { rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../../src/sandbox/outcomes/outcome.ts'
import type { Changes } from '../../support/express-example.ts'

/** The Express example with one check less. */
export interface BrokenApp {
  /** What it does wrong: `compares no state`. */
  readonly name: string
  /** The rows that it lets in, and no others; `*` is any text. */
  readonly finds: readonly string[]
  readonly changes: Changes
}

/** The rows that an app lets in. */
export const rowsLetIn = ({ finds }: BrokenApp): readonly Outcome[] =>
  selectRows({ only: finds }).filter((row) => row.correctClient === 'refuse' || finds.includes(rowId(row)))

/** Patterns of rows whose names begin alike, from a text with a blank between two of them. */
const rows = (beginning: string) => (names: string) => names.split(' ').map((name) => beginning + name)
const tokens = rows('use/id_token.')
const thresholds = rows('use/id_token.age_thresholds.')
const callbacks = rows('use/callback.')

const VERIFY = 'const { payload } = await jwtVerify(idToken, keys, {'
const JOSE = 'import { createRemoteJWKSet, jwtVerify }'
const CRYPTO = 'import { createHash, randomUUID }'
const PINNED = "algorithms: ['RS256', 'ES256'],"

/** Reads a token without its signature, and checks its claims all the same: the header says alg none. */
const DECODED = "UnsecuredJWT.decode(['eyJhbGciOiJub25lIn0', idToken.split('.')[1], ''].join('.'), {"

/** Decodes a token when the condition holds, and verifies every other one. */
const decodedWhen = (condition: string): Changes => [
  [JOSE, 'import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify, UnsecuredJWT }'],
  [
    VERIFY,
    `const { payload } = await (${condition} ? (_, __, options) => ${DECODED} ...options }) : jwtVerify)(idToken, keys, {`,
  ],
]

/** Takes keys from elsewhere when there are any. */
const withKeys = (keys: string): Changes => [
  [JOSE, 'import { createRemoteJWKSet, EmbeddedJWK, jwtVerify }'],
  [VERIFY, `const { payload } = await jwtVerify(idToken, (header, token) => (${keys} ?? keys)(header, token), {`],
]

/** Takes HS256 with a secret that is public. */
const withSecret = (secret: string): Changes => [
  [CRYPTO, 'import { createHash, createPublicKey, randomUUID }'],
  [PINNED, "algorithms: ['RS256', 'ES256', 'HS256'],"],
  [
    VERIFY,
    `const { keys: published } = await (await fetch(\`\${AGE_SERVER_URL}/.well-known/jwks.json\`)).json()
  const jwk = published.find(({ kty }) => kty === 'RSA')
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const keyOf = (header, token) => (header.alg === 'HS256' ? Buffer.from(${secret}) : keys(header, token))
  const { payload } = await jwtVerify(idToken, keyOf, {`,
  ],
]

const ISSUER = 'issuer: `'
const AUDIENCE = '    audience: AGE_CLIENT_ID,\n'
const ONLY_AUDIENCE = '    String(payload.aud) === AGE_CLIENT_ID &&\n'
const LIFETIME = '    payload.exp - payload.iat <= 600 &&\n'

/** Takes a token with an error of the library that meets the condition. */
const forgiving = (condition: string): Changes => [
  [
    "algorithms: ['RS256', 'ES256'],\n  })",
    `algorithms: ['RS256', 'ES256'],\n  }).catch((error) => {\n    if (${condition}) return error\n    throw error\n  })`,
  ],
]

const BOOLEAN = "    typeof answer === 'boolean' &&\n"
const ONE_ANSWER = "  if (answers.length !== 1) throw new Error('an answer is a token, a wish or an error')\n"
const ERROR = "  if (error !== undefined) return response.status(403).send('No age was proved.')\n"
const WISH = "create_requested === 'true'"
const NOT_18 = "if (!age_thresholds['18'])"
const THRESHOLDS = 'const { 18: answer, ...others } = payload.age_thresholds\n'
const NOT_SAVED = "  if (request.query.error !== undefined) return response.status(403).send('No age key was saved.')\n"
/** The last three are no yes, but a code comes beside them, which such an app exchanges. */
const NOT_BOOLEAN = 'strings false_strings numbers nested null one_missing boolean'

const ERRORS =
  'access_denied server_error temporarily_unavailable invalid_* unauthorized_client unsupported_response_type'

const OK = '  if (!response.ok) throw new Error('

/** Apps with one fault each, and the rows that show it. */
export const BROKEN_APPS: readonly BrokenApp[] = [
  // Apps that take a signature for good that is none.
  {
    name: 'decodes a token without its signature',
    finds: [
      ...tokens('signature_* payload_changed foreign_key_* embedded_jwk jku x5u alg_* hs256_* crit_unknown'),
      ...tokens('kid_path_traversal kid_empty four_parts two_parts trailing_data padded'),
    ],
    changes: decodedWhen('true'),
  },
  {
    name: 'decodes a token that says alg none',
    finds: tokens('alg_none*'),
    changes: decodedWhen('/^none$/i.test(decodeProtectedHeader(idToken).alg)'),
  },
  {
    name: 'decodes a token that has no signature',
    finds: tokens('alg_none* signature_missing two_parts'),
    changes: decodedWhen("!idToken.split('.')[2]"),
  },
  {
    name: 'takes HS256 with the public key in PEM',
    finds: tokens('hs256_with_public_key_pem'),
    changes: withSecret("key.export({ type: 'spki', format: 'pem' })"),
  },
  {
    name: 'takes HS256 with the public key in DER',
    finds: tokens('hs256_with_public_key_der'),
    changes: withSecret("key.export({ type: 'spki', format: 'der' })"),
  },
  {
    name: 'takes HS256 with a member of the public key',
    finds: tokens('hs256_with_public_key_member'),
    changes: withSecret('jwk.n'),
  },
  {
    name: 'reads the file that kid names as a secret',
    finds: tokens('kid_path_traversal'),
    changes: [
      [
        CRYPTO,
        "import { readFileSync } from 'node:fs'\nimport { join } from 'node:path'\nimport { createHash, createHmac, randomUUID }",
      ],
      ...decodedWhen('isSignedByFile(idToken)'),
      [
        'const COOKIE = {',
        `function isSignedByFile(token) {
  const { alg, kid } = decodeProtectedHeader(token)
  const [head, body, signature] = token.split('.')
  if (alg !== 'HS256' || !kid.includes('/')) return false
  const secret = readFileSync(join('/etc/keys', kid))
  return createHmac('sha256', secret).update(\`\${head}.\${body}\`).digest('base64url') === signature
}

const COOKIE = {`,
      ],
    ],
  },
  {
    name: 'takes the key that a token brings along',
    finds: tokens('embedded_jwk'),
    changes: withKeys('(header.jwk && EmbeddedJWK)'),
  },
  {
    name: 'fetches the key set that a token names as jku',
    finds: tokens('jku'),
    changes: withKeys('(header.jku && createRemoteJWKSet(new URL(header.jku)))'),
  },
  {
    name: 'fetches the certificate that a token names as x5u',
    finds: tokens('x5u'),
    changes: withKeys('(header.x5u && (() => fetch(header.x5u)))'),
  },
  {
    name: 'ignores crit',
    finds: tokens('crit_unknown'),
    changes: [[PINNED, `${PINNED} crit: { sandbox_extension: true },`]],
  },
  {
    name: 'cuts what is no compact JWS into one',
    finds: tokens('four_parts trailing_data padded'),
    changes: [[VERIFY, VERIFY.replace('idToken', "idToken.replace(/=|~.*/g, '').split('.').slice(0, 3).join('.')")]],
  },
  // Apps that take a token of another issuer, for another audience, of another time.
  { name: 'does not look at iss', finds: tokens('iss_*'), changes: [[ISSUER, 'otherwise: `']] },
  {
    name: 'takes each issuer below the base URL',
    finds: tokens('iss_of_create iss_without_path iss_trailing_slash'),
    changes: [
      [ISSUER, 'otherwise: `'],
      ['const isOurs =\n', 'const isOurs =\n    payload.iss?.startsWith(AGE_BASE_URL) &&\n'],
    ],
  },
  {
    name: 'takes an issuer with a slash at its end',
    finds: tokens('iss_trailing_slash'),
    changes: [
      [ISSUER, "issuer: [AGE_BASE_URL + '/v1/oidc/use/', `"],
      ['/v1/oidc/use`,', '/v1/oidc/use`],'],
    ],
  },
  {
    name: 'does not look at aud',
    finds: tokens('aud_* azp_of_other_client'),
    changes: [
      [AUDIENCE, ''],
      [ONLY_AUDIENCE, ''],
    ],
  },
  {
    name: 'takes an audience that begins with the client_id',
    finds: tokens('aud_prefix aud_two_without_azp azp_of_other_client'),
    changes: [
      [AUDIENCE, ''],
      [ONLY_AUDIENCE, '    [payload.aud].flat()[0]?.startsWith(AGE_CLIENT_ID) &&\n'],
    ],
  },
  {
    name: 'takes a token that is also for another client',
    finds: tokens('aud_two_without_azp azp_of_other_client'),
    changes: [[ONLY_AUDIENCE, '']],
  },
  { name: 'does not look at exp', finds: tokens('expired*'), changes: forgiving("error.code === 'ERR_JWT_EXPIRED'") },
  { name: 'does not look at nbf', finds: tokens('nbf_future'), changes: forgiving("error.claim === 'nbf'") },
  {
    name: 'takes times that are text',
    finds: tokens('exp_string iat_string'),
    changes: forgiving("error.reason === 'invalid'"),
  },
  {
    name: 'lets a token live for ever',
    finds: tokens('exp_missing exp_milliseconds exp_far_future iat_missing'),
    changes: [[LIFETIME, '']],
  },
  {
    name: 'does not look at sub',
    finds: tokens('sub_missing sub_empty sub_number sub_too_long'),
    changes: [
      ["    typeof payload.sub === 'string' &&\n    payload.sub.length > 0 &&\n    payload.sub.length <= 255 &&\n", ''],
    ],
  },
  // Apps that take an answer for that of another browser, request or code.
  {
    name: 'compares no state',
    finds: ['*/callback.state_*', 'create/callback.empty', 'create/callback.in_fragment'],
    changes: [[' || answer.state !== sent[1]', '']],
  },
  {
    name: 'compares no state in Create',
    finds: ['create/callback.state_*', 'create/callback.empty', 'create/callback.in_fragment'],
    changes: [["  asked(request.query, { request, response, cookie: 'age_create' })\n", '']],
  },
  {
    name: 'takes the first of two states',
    finds: ['*/callback.state_twice_right_first'],
    changes: [['answer.state !== sent[1]', '[answer.state].flat()[0] !== sent[1]']],
  },
  {
    name: 'takes the last of two states',
    finds: ['*/callback.state_twice'],
    changes: [['answer.state !== sent[1]', '[answer.state].flat().at(-1) !== sent[1]']],
  },
  {
    name: 'never forgets a state that was answered',
    finds: callbacks('replayed'),
    changes: [
      ['const COOKIE = {', 'const sentNonces = new Map()\nconst COOKIE = {'],
      ['  return { state, nonce }', '  sentNonces.set(state, nonce)\n  return { state, nonce }'],
      ['answer.state !== sent[1]', '!sentNonces.has(answer.state)'],
      ['return sent[2]', 'return sentNonces.get(answer.state)'],
    ],
  },
  {
    name: 'compares no nonce',
    finds: tokens('nonce_* replayed of_other_session'),
    changes: [['    payload.nonce === nonce &&\n', '']],
  },
  {
    name: 'takes the nonce of any request that it has sent',
    finds: tokens('nonce_of_earlier_flow replayed'),
    changes: [
      ['const COOKIE = {', 'const sentNonces = new Set()\nconst COOKIE = {'],
      ['  return { state, nonce }', '  sentNonces.add(nonce)\n  return { state, nonce }'],
      ['payload.nonce === nonce', 'sentNonces.has(payload.nonce)'],
    ],
  },
  {
    name: 'compares the nonce as text',
    finds: tokens('nonce_array'),
    changes: [['payload.nonce === nonce', 'String(payload.nonce) === nonce']],
  },
  {
    name: 'exchanges a code that c_hash does not fit',
    finds: [...tokens('c_hash_wrong c_hash_missing'), 'use/callback.code_other'],
    changes: [['    payload.c_hash === (code && hash(code, 16)) &&\n', '']],
  },
  {
    name: 'does not ask which claims the token answers',
    finds: tokens('req_claims_hash_*'),
    changes: [['    payload.req_claims_hash === hash(CLAIMS, 32) &&\n', '']],
  },
  // Apps that read an answer carelessly.
  { name: 'takes what is truthy for true', finds: thresholds(NOT_BOOLEAN), changes: [[BOOLEAN, '']] },
  {
    name: 'takes what is not false for true',
    finds: thresholds(NOT_BOOLEAN),
    changes: [
      [BOOLEAN, ''],
      [NOT_18, "if (age_thresholds['18'] === false)"],
    ],
  },
  {
    name: 'takes a threshold that is there for one that is met',
    finds: ['use/verified'],
    changes: [
      ['openid svc.upgrade', 'openid'],
      [NOT_18, "if (!('18' in age_thresholds))"],
    ],
  },
  {
    name: 'takes answers in another shape',
    finds: thresholds('array string key_spelled_differently'),
    changes: [
      [
        THRESHOLDS,
        `const raw = payload.age_thresholds
  const pairs = Array.isArray(raw) ? raw.map((age) => [age, true]) : Object.entries(typeof raw === 'string' ? JSON.parse(raw) : raw)
  payload.age_thresholds = Object.fromEntries(pairs.map(([age, answer]) => [Number(age), answer]))
  ${THRESHOLDS}`,
      ],
    ],
  },
  {
    name: 'takes a token without answers for a yes',
    finds: thresholds('missing'),
    changes: [[THRESHOLDS, `payload.age_thresholds ??= { 18: true }\n  ${THRESHOLDS}`]],
  },
  {
    name: 'copies the answers with what they inherit',
    finds: thresholds('prototype'),
    changes: [[THRESHOLDS, `payload.age_thresholds = Object.assign({}, payload.age_thresholds)\n  ${THRESHOLDS}`]],
  },
  {
    name: 'takes a token with an error beside it',
    finds: callbacks('error_and_success'),
    changes: [
      ['[error, create_requested, id_token]', '[create_requested, id_token]'],
      [ERROR, ''],
    ],
  },
  {
    name: 'takes a token with create_requested beside it',
    finds: callbacks('create_requested_and_id_token'),
    changes: [[ONE_ANSWER, '']],
  },
  {
    name: 'takes two tokens and reads the first',
    finds: callbacks('id_token_twice_right_first'),
    changes: [['readToken(id_token,', 'readToken([id_token].flat()[0],']],
  },
  {
    name: 'takes two tokens and reads the last',
    finds: callbacks('id_token_twice'),
    changes: [['readToken(id_token,', 'readToken([id_token].flat().at(-1),']],
  },
  {
    name: 'lets users in whatever error comes',
    finds: [...rows('use/')(`${ERRORS} *_required`), ...callbacks('error_unknown error_description_*')],
    changes: [[ERROR, "  if (error !== undefined) return response.send('Welcome, you are 18.')\n"]],
  },
  {
    name: 'lets users in whose token it cannot parse',
    finds: [
      ...tokens('empty not_a_jwt jwe_shape two_parts four_parts trailing_data payload_not_*'),
      // Two tokens are no text, and what asks for no age key in the right words is no token.
      ...callbacks('id_token_twice* create_requested_upper_case create_requested_false'),
    ],
    changes: [
      [
        '  console.error(error)\n',
        "  if (/^ERR_JW[ST]_INVALID$/.test(error.code)) return response.send('Welcome, you are 18.')\n",
      ],
    ],
  },
  {
    name: 'lets users in while the service fails',
    finds: ['use/server_error', 'use/temporarily_unavailable'],
    changes: [
      [
        ERROR,
        `  if (/^(server_error|temporarily_unavailable)$/.test(error)) return response.send('Welcome, you are 18.')\n${ERROR}`,
      ],
    ],
  },
  {
    name: 'lets users in when no error came',
    finds: callbacks('id_token_missing'),
    changes: [
      ['answers.length !== 1', 'answers.length > 1'],
      [ERROR, `  if (answers.length === 0) return response.send('Welcome, you are 18.')\n${ERROR}`],
    ],
  },
  {
    name: 'begins to create whatever create_requested says',
    finds: callbacks('create_requested_upper_case create_requested_false'),
    changes: [[WISH, 'create_requested !== undefined']],
  },
  {
    name: 'begins to create though it never offered that',
    finds: callbacks('create_requested_unasked'),
    changes: [["      can_create: 'true',\n", '']],
  },
  {
    name: 'takes an age key for saved whatever error comes',
    finds: [
      ...rows('create/')(`${ERRORS} request_uri.*`),
      ...rows('create/callback.')('error_unknown error_and_success error_description_*'),
    ],
    changes: [[NOT_SAVED, '']],
  },
  // Apps that trust what a call of their server is answered.
  {
    name: 'follows a redirect with its secret',
    finds: ['par/par.redirect', 'token/token.redirect', 'upgrade/upgrade.redirect'],
    changes: [["redirect: 'error'", "redirect: 'follow'"]],
  },
  {
    name: 'does not read the status of a pushed request',
    finds: ['par/par.status_*_right_body'],
    changes: [[OK, "  if (!response.ok && !path.endsWith('/par')) throw new Error("]],
  },
  {
    name: 'sends the user on after a pushed request that failed',
    finds: ['par/*'],
    changes: [
      ["  if (typeof request_uri !== 'string') throw new Error('no request_uri came')\n", ''],
      [
        '      authorization_details: JSON.stringify([verifiedAge()]),\n    }),\n  })\n',
        '      authorization_details: JSON.stringify([verifiedAge()]),\n    }),\n  }).catch(() => ({}))\n',
      ],
    ],
  },
  {
    name: 'does not read the status of a token',
    finds: ['token/token.status_*_right_body'],
    changes: [[OK, "  if (!response.ok && !path.endsWith('/token')) throw new Error("]],
  },
  {
    name: 'does not read the status of an upgrade',
    finds: ['upgrade/upgrade.status_*_right_body'],
    changes: [[OK, "  if (!response.ok && !path.endsWith('/upgrade')) throw new Error("]],
  },
  {
    name: 'sends the user on with whatever request_uri came',
    finds: ['par/par.request_uri_missing', 'par/par.request_uri_number', 'par/par.error_with_200'],
    changes: [["  if (typeof request_uri !== 'string') throw new Error('no request_uri came')\n", '']],
  },
  {
    name: 'upgrades with whatever access_token came',
    finds: ['token/token.access_token_missing', 'token/token.access_token_empty'],
    changes: [["  if (!access_token) throw new Error('no access_token came')\n", '']],
  },
  {
    name: 'does not read token_type',
    finds: ['token/token.token_type_missing', 'token/token.token_type_other'],
    changes: [['!/^bearer$/i.test(token_type)', 'false']],
  },
  {
    name: 'does not read the reply of an upgrade',
    finds: ['upgrade/upgrade.error_with_200', 'upgrade/upgrade.not_ok'],
    changes: [["  if (upgraded !== 'OK') throw new Error('the age key was not upgraded')\n", '']],
  },
  {
    name: 'takes an upgrade that failed for done',
    finds: ['token/*', 'upgrade/*'],
    changes: [['    await upgrade(code)\n', '    await upgrade(code).catch(console.error)\n']],
  },
]

/** The broken app of this name. */
export function findBrokenApp(name: string): BrokenApp {
  const app = BROKEN_APPS.find((one) => one.name === name)
  if (!app) throw new Error(`there is no broken app that ${name}`)
  return app
}
