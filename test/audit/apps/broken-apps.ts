import { selectRows } from '../../../src/audit/trials/rows/select-rows.ts'
import { rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../../src/sandbox/outcomes/outcome.ts'
import type { Changes } from '../../support/express-example.ts'

/** The Express example without one check. */
export interface BrokenApp {
  /** The fault: `compares no state`. */
  readonly name: string
  /** The rows that the app accepts, and no others; `*` is any text. */
  readonly finds: readonly string[]
  readonly changes: Changes
}

export const rowsLetIn = ({ finds }: BrokenApp): readonly AuditRow[] =>
  selectRows({ only: finds }).filter(
    (row) => row.correctClient === 'refuse' || finds.includes(rowId(row)),
  )

/** Patterns of rows whose names begin alike, from a text with a blank between two of them. */
const rows = (beginning: string) => (names: string) =>
  names.split(' ').map((name) => beginning + name)
const tokens = rows('use/id_token.')
const thresholds = rows('use/id_token.age_thresholds.')
const callbacks = rows('use/callback.')

const VERIFY = 'await jwtVerify(idToken, keys, options)'
const JOSE = 'import { createRemoteJWKSet, jwtVerify }'
const CRYPTO = 'import { createHash, randomUUID }'
const PINNED = "algorithms: ['RS256', 'ES256']"

/** Reads a token without its signature, and checks its claims anyway: the header says alg none. */
const DECODED =
  "UnsecuredJWT.decode(['eyJhbGciOiJub25lIn0', idToken.split('.')[1], ''].join('.'), options)"

/** Decodes a token when the condition holds, and verifies all others. */
const decodedWhen = (condition: string): Changes => [
  [JOSE, 'import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify, UnsecuredJWT }'],
  [VERIFY, `${condition} ? ${DECODED} : ${VERIFY}`],
]

/** Takes keys from elsewhere if there are any. */
const withKeys = (keys: string): Changes => [
  [JOSE, 'import { createRemoteJWKSet, EmbeddedJWK, jwtVerify }'],
  [VERIFY, VERIFY.replace('keys', `(header, token) => (${keys} ?? keys)(header, token)`)],
]

/** Accepts HS256 with a public secret. */
const withSecret = (secret: string): Changes => [
  [CRYPTO, 'import { createHash, createPublicKey, randomUUID }'],
  [PINNED, "algorithms: ['RS256', 'ES256', 'HS256']"],
  [
    `const { payload } = ${VERIFY}`,
    `const { keys: published } = await (await fetch(\`\${AGE_SERVER_URL}/.well-known/jwks.json\`)).json()
  const jwk = published.find(({ kty }) => kty === 'RSA')
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const keyOf = (header, token) => (header.alg === 'HS256' ? Buffer.from(${secret}) : keys(header, token))
  const { payload } = await jwtVerify(idToken, keyOf, options)`,
  ],
]

const ISSUER = 'issuer: `'
const AUDIENCE = ' audience: AGE_CLIENT_ID,'
const ONLY_AUDIENCE = '    String(payload.aud) === AGE_CLIENT_ID &&\n'

/** Accepts a token for which the library throws an error that meets the condition. */
const forgiving = (condition: string): Changes => [
  [
    VERIFY,
    `${VERIFY}.catch((error) => {\n    if (${condition}) return error\n    throw error\n  })`,
  ],
]

const ERROR = "  if (error !== undefined) return response.status(403).send('No age was proved.')\n"
const THRESHOLDS = '  const isOurs =\n'
const SHAPE = `['{"18":true}', '{"18":false}'].includes(JSON.stringify(payload.age_thresholds))`
const ONLY_18 = "Object.keys(payload.age_thresholds).every((age) => age === '18')"

const ERRORS =
  'access_denied server_error temporarily_unavailable invalid_* unauthorized_client unsupported_response_type'

const broken = (name: string, finds: string | readonly string[], changes: Changes): BrokenApp => ({
  name,
  finds: typeof finds === 'string' ? finds.split(' ') : finds,
  changes,
})

const UPGRADED = 'Your age key says more now. <a href="/verify">Try again</a>'
const NO_REQUEST_URI =
  "  if (typeof request_uri !== 'string') throw new Error('no request_uri came')\n"

const signature = [
  broken(
    'decodes a token without its signature',
    [
      ...tokens(
        'signature_* payload_changed foreign_key_* embedded_jwk jku x5* alg_* hs256_* crit_unknown',
      ),
      ...tokens('kid_path_traversal kid_empty four_parts two_parts trailing_data'),
    ],
    decodedWhen('true'),
  ),
  ...['pem', 'der'].map((format) =>
    broken(
      `takes HS256 with the public key in ${format}`,
      tokens(`hs256_with_public_key_${format}`),
      withSecret(`key.export({ type: 'spki', format: '${format}' })`),
    ),
  ),
  broken(
    'takes HS256 with a member of the public key',
    tokens('hs256_with_public_key_member'),
    withSecret('jwk.n'),
  ),
  broken(
    'takes the key that a token brings along',
    tokens('embedded_jwk'),
    withKeys('(header.jwk && EmbeddedJWK)'),
  ),
  broken(
    'fetches the key set that a token names as jku',
    tokens('jku'),
    withKeys('(header.jku && createRemoteJWKSet(new URL(header.jku)))'),
  ),
  broken(
    'fetches the certificate that a token names as x5u',
    tokens('x5u'),
    withKeys('(header.x5u && (() => fetch(header.x5u)))'),
  ),
  broken('takes the key of a certificate that a token brings along', tokens('x5c'), [
    [CRYPTO, 'import { createHash, randomUUID, X509Certificate }'],
    ...withKeys(
      "(header.x5c && (() => new X509Certificate(Buffer.from(header.x5c[0], 'base64')).publicKey))",
    ),
  ]),
  broken('ignores crit', tokens('crit_unknown'), [
    [PINNED, `${PINNED}, crit: { sandbox_extension: true }`],
  ]),
  broken('cuts what is no compact JWS into one', tokens('four_parts trailing_data'), [
    [
      VERIFY,
      VERIFY.replace('idToken', "idToken.replace(/~.*/g, '').split('.').slice(0, 3).join('.')"),
    ],
  ]),
  broken('reads the file that kid names as a secret', tokens('kid_path_traversal'), [
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
  ]),
]

/** Checks of issuer, audience and times. */
const claims = [
  broken('does not look at iss', tokens('iss_*'), [[ISSUER, 'otherwise: `']]),
  broken('takes an issuer with a slash at its end', tokens('iss_trailing_slash'), [
    [ISSUER, "issuer: [AGE_BASE_URL + '/v1/oidc/use/', `"],
    ['/v1/oidc/use`,', '/v1/oidc/use`],'],
  ]),
  broken('does not look at aud', tokens('aud_* azp_of_other_client'), [
    [AUDIENCE, ''],
    [ONLY_AUDIENCE, ''],
  ]),
  broken(
    'takes an audience that begins with the client_id',
    tokens('aud_prefix aud_two_without_azp azp_of_other_client'),
    [
      [AUDIENCE, ''],
      [ONLY_AUDIENCE, '    [payload.aud].flat()[0]?.startsWith(AGE_CLIENT_ID) &&\n'],
    ],
  ),
  broken('takes azp for an audience', tokens('aud_of_other_client_azp_own'), [
    [AUDIENCE, ''],
    [ONLY_AUDIENCE, '    (payload.azp ?? String(payload.aud)) === AGE_CLIENT_ID &&\n'],
  ]),
  broken(
    'forgives an expiry for 55 minutes',
    tokens('expired_fifty_minutes_ago expired_ten_minutes_ago'),
    [[PINNED, `${PINNED}, clockTolerance: 3300`]],
  ),
  broken('does not look at exp', tokens('expired*'), forgiving("error.code === 'ERR_JWT_EXPIRED'")),
  broken('does not look at nbf', tokens('nbf_future'), forgiving("error.claim === 'nbf'")),
  broken(
    'takes times that are text',
    tokens('exp_string iat_string'),
    forgiving("error.reason === 'invalid'"),
  ),
  broken(
    'accepts a token without a sound expiry',
    tokens('exp_missing exp_milliseconds exp_far_future iat_missing'),
    [['    payload.exp - payload.iat <= 600 &&\n', '']],
  ),
  broken('does not look at sub', tokens('sub_missing sub_empty sub_number sub_too_long'), [
    ["    typeof payload.sub === 'string' &&\n    /^.{1,255}$/s.test(payload.sub) &&\n", ''],
  ]),
]

/** Checks of browser, request and code. */
const binding = [
  broken(
    'compares no state',
    '*/callback.state_* create/callback.empty create/callback.in_fragment',
    [[' || answer.state !== sent[1]', '']],
  ),
  broken('takes the first of two states', '*/callback.state_twice_right_first', [
    ['answer.state !== sent[1]', '[answer.state].flat()[0] !== sent[1]'],
  ]),
  broken('takes the last of two states', '*/callback.state_twice', [
    ['answer.state !== sent[1]', '[answer.state].flat().at(-1) !== sent[1]'],
  ]),
  broken('never forgets a state that was answered', callbacks('replayed of_other_browser'), [
    ['const COOKIE = {', 'const sentNonces = new Map()\nconst COOKIE = {'],
    ['  return { state, nonce }', '  sentNonces.set(state, nonce)\n  return { state, nonce }'],
    ['answer.state !== sent[1]', '!sentNonces.has(answer.state)'],
    ['return sent[2]', 'return sentNonces.get(answer.state)'],
  ]),
  broken('compares no nonce', tokens('nonce_* replayed of_other_session'), [
    ['    payload.nonce === nonce &&\n', ''],
  ]),
  broken(
    'takes the nonce of any request that it has sent',
    tokens('nonce_of_earlier_flow replayed'),
    [
      ['const COOKIE = {', 'const sentNonces = new Set()\nconst COOKIE = {'],
      ['  return { state, nonce }', '  sentNonces.add(nonce)\n  return { state, nonce }'],
      ['payload.nonce === nonce', 'sentNonces.has(payload.nonce)'],
    ],
  ),
  broken('compares the nonce as text', tokens('nonce_array'), [
    ['payload.nonce === nonce', 'String(payload.nonce) === nonce'],
  ]),
  broken(
    'exchanges a code that c_hash does not fit',
    [...tokens('c_hash_wrong c_hash_missing'), 'use/callback.code_other'],
    [['    payload.c_hash === (code && hash(code, 16)) &&\n', '']],
  ),
  broken('does not ask which claims the token answers', tokens('req_claims_hash_*'), [
    ["    payload.req_claims_hash?.replace(/=+$/, '') === hash(CLAIMS, 32) &&\n", ''],
  ]),
]

const answer = [
  // The last four are no yes, but a code comes beside them, which such an app exchanges.
  broken(
    'takes what is truthy for true',
    thresholds('strings false_strings numbers nested null one_missing boolean array'),
    [[SHAPE, ONLY_18]],
  ),
  broken('takes answers in another shape', thresholds('array string key_spelled_differently'), [
    [
      THRESHOLDS,
      `  const raw = payload.age_thresholds
  const pairs = Array.isArray(raw) ? raw.map((age) => [age, true]) : Object.entries(typeof raw === 'string' ? JSON.parse(raw) : raw)
  payload.age_thresholds = Object.fromEntries(pairs.map(([age, answer]) => [Number(age), answer]))
${THRESHOLDS}`,
    ],
  ]),
  broken('takes a token without answers for a yes', thresholds('missing'), [
    [THRESHOLDS, `  payload.age_thresholds ??= { 18: true }\n${THRESHOLDS}`],
  ]),
  broken(
    'takes any threshold that is met',
    thresholds('lower_also other_only key_spelled_differently'),
    [
      [
        THRESHOLDS,
        `  const met = Object.values(payload.age_thresholds ?? {})
  if (met.some((one) => one === true)) payload.age_thresholds = { 18: true }
${THRESHOLDS}`,
      ],
    ],
  ),
  broken('copies the answers with what they inherit', thresholds('prototype'), [
    [
      THRESHOLDS,
      `  payload.age_thresholds = Object.assign({}, payload.age_thresholds)\n${THRESHOLDS}`,
    ],
    [SHAPE, `${ONLY_18} && typeof payload.age_thresholds['18'] === 'boolean'`],
  ]),
  broken('takes a token with an error beside it', callbacks('error_and_success'), [
    ['[error, create_requested, id_token]', '[create_requested, id_token]'],
    [ERROR, ''],
  ]),
  broken(
    'takes a token with create_requested beside it',
    callbacks('create_requested_and_id_token'),
    [
      [
        "  if (answers.length !== 1) throw new Error('an answer is a token, a wish or an error')\n",
        '',
      ],
    ],
  ),
  broken('takes two tokens and reads the first', callbacks('id_token_twice_right_first'), [
    ['readToken(id_token,', 'readToken([id_token].flat()[0],'],
  ]),
  broken('takes two tokens and reads the last', callbacks('id_token_twice'), [
    ['readToken(id_token,', 'readToken([id_token].flat().at(-1),'],
  ]),
  broken(
    'lets users in whatever error comes',
    [...rows('use/')(`${ERRORS} *_required`), ...callbacks('error_unknown error_description_*')],
    [[ERROR, "  if (error !== undefined) return response.send('Welcome, you are 18.')\n"]],
  ),
  broken('lets users in when no error came', callbacks('id_token_missing'), [
    ['answers.length !== 1', 'answers.length > 1'],
    [ERROR, `  if (answers.length === 0) return response.send('Welcome, you are 18.')\n${ERROR}`],
  ]),
  broken(
    'begins to create whatever create_requested says',
    callbacks('create_requested_upper_case create_requested_false'),
    [["create_requested === 'true'", 'create_requested !== undefined']],
  ),
  broken(
    'takes an age key for saved whatever error comes',
    [
      ...rows('create/')(`${ERRORS} request_uri.*`),
      ...rows('create/callback.')('error_unknown error_and_success error_description_*'),
    ],
    [
      [
        "  if (request.query.error !== undefined) return response.status(403).send('No age key was saved.')\n",
        '',
      ],
    ],
  ),
  broken('takes a threshold that is there for one that is met', 'use/verified', [
    ['openid svc.upgrade', 'openid'],
    ["if (!age_thresholds['18'])", "if (!('18' in age_thresholds))"],
  ]),
  broken('begins to create though it never offered that', callbacks('create_requested_unasked'), [
    ["    can_create: 'true',\n", ''],
  ]),
  broken(
    'lets users in whose token it cannot parse',
    [
      ...tokens(
        'empty not_a_jwt invented jwe_shape two_parts four_parts trailing_data payload_not_*',
      ),
      // Two tokens are no text, and right words that ask for no age key are no token.
      ...callbacks('id_token_twice* create_requested_upper_case create_requested_false'),
    ],
    [
      [
        '  console.error(error)\n',
        "  if (/^ERR_JW[ST]_INVALID$/.test(error.code)) return response.send('Welcome, you are 18.')\n",
      ],
    ],
  ),
]

/** Checks of the replies to server-to-server calls. */
const calls = [
  broken(
    'follows a redirect with its secret',
    'par/par.redirect token/token.redirect upgrade/upgrade.redirect',
    [["redirect: 'error'", "redirect: 'follow'"]],
  ),
  ...['par', 'token', 'upgrade'].map((call) =>
    broken(`does not read the status of ${call}`, `${call}/${call}.status_*_right_body`, [
      [
        '  if (!response.ok) throw new Error(',
        `  if (!response.ok && !path.endsWith('/${call}')) throw new Error(`,
      ],
    ]),
  ),
  broken('sends the user on after a pushed request that failed', 'par/*', [
    [NO_REQUEST_URI, ''],
    [
      "await call('/v1/oidc/create/par', form)",
      "await call('/v1/oidc/create/par', form).catch(() => ({}))",
    ],
  ]),
  broken(
    'sends the user on with whatever request_uri came',
    'par/par.request_uri_missing par/par.request_uri_number par/par.error_with_200',
    [[NO_REQUEST_URI, '']],
  ),
  broken(
    'upgrades with whatever access_token came',
    'token/token.access_token_missing token/token.access_token_empty',
    [['!access_token || ', '']],
  ),
  broken(
    'does not read token_type',
    'token/token.token_type_missing token/token.token_type_other',
    [['!/^bearer$/i.test(token_type)', 'false']],
  ),
  broken(
    'does not read the reply of an upgrade',
    'upgrade/upgrade.error_with_200 upgrade/upgrade.not_ok',
    [["  if (upgraded !== 'OK') throw new Error('the age key was not upgraded')\n", '']],
  ),
  broken('takes an upgrade that failed for done', 'token/* upgrade/*', [
    [
      'upgrade(code, response)\n',
      `upgrade(code, response).catch(() => response.send('${UPGRADED}'))\n`,
    ],
  ]),
]

/** Apps with one fault each, and the rows that show it. */
export const BROKEN_APPS = [...signature, ...claims, ...binding, ...answer, ...calls]

export function findBrokenApp(name: string): BrokenApp {
  const app = BROKEN_APPS.find((one) => one.name === name)
  if (!app) throw new Error(`there is no broken app that ${name}`)
  return app
}
