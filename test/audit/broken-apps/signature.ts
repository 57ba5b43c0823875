import type { Changes } from '../../support/express-example.ts'
import type { BrokenApp } from './broken-app.ts'

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

/** Apps that take a signature for good that is none. */
export const SIGNATURE: readonly BrokenApp[] = [
  {
    name: 'decodes a token without its signature',
    changes: decodedWhen('true'),
    finds: [
      ...['signature_*', 'payload_changed', 'foreign_key_*', 'embedded_jwk', 'jku', 'x5u', 'alg_*', 'hs256_*'],
      ...['kid_path_traversal', 'crit_unknown', 'four_parts', 'two_parts', 'trailing_data', 'padded', 'kid_empty'],
    ].map((name) => `use/id_token.${name}`),
  },
  {
    name: 'decodes a token that says alg none',
    changes: decodedWhen('/^none$/i.test(decodeProtectedHeader(idToken).alg)'),
    finds: ['use/id_token.alg_none*'],
  },
  {
    name: 'decodes a token that has no signature',
    changes: decodedWhen("!idToken.split('.')[2]"),
    finds: ['use/id_token.alg_none*', 'use/id_token.signature_missing', 'use/id_token.two_parts'],
  },
  {
    name: 'takes HS256 with the public key in PEM',
    changes: withSecret("key.export({ type: 'spki', format: 'pem' })"),
    finds: ['use/id_token.hs256_with_public_key_pem'],
  },
  {
    name: 'takes HS256 with the public key in DER',
    changes: withSecret("key.export({ type: 'spki', format: 'der' })"),
    finds: ['use/id_token.hs256_with_public_key_der'],
  },
  {
    name: 'takes HS256 with a member of the public key',
    changes: withSecret('jwk.n'),
    finds: ['use/id_token.hs256_with_public_key_member'],
  },
  {
    name: 'reads the file that kid names as a secret',
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
    finds: ['use/id_token.kid_path_traversal'],
  },
  {
    name: 'takes the key that a token brings along',
    changes: withKeys('(header.jwk && EmbeddedJWK)'),
    finds: ['use/id_token.embedded_jwk'],
  },
  {
    name: 'fetches the key set that a token names as jku',
    changes: withKeys('(header.jku && createRemoteJWKSet(new URL(header.jku)))'),
    finds: ['use/id_token.jku'],
  },
  {
    name: 'fetches the certificate that a token names as x5u',
    changes: withKeys('(header.x5u && (() => fetch(header.x5u)))'),
    finds: ['use/id_token.x5u'],
  },
  {
    name: 'ignores crit',
    changes: [[PINNED, `${PINNED} crit: { sandbox_extension: true },`]],
    finds: ['use/id_token.crit_unknown'],
  },
  {
    name: 'cuts what is no compact JWS into one',
    changes: [[VERIFY, VERIFY.replace('idToken', "idToken.replace(/=|~.*/g, '').split('.').slice(0, 3).join('.')")]],
    finds: ['use/id_token.four_parts', 'use/id_token.trailing_data', 'use/id_token.padded'],
  },
]
