import type { Changes } from '../../support/express-example.ts'
import type { BrokenApp } from './broken-app.ts'

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

/** Apps that take a token of another issuer, for another audience, of another time. */
export const CLAIMS: readonly BrokenApp[] = [
  {
    name: 'does not look at iss',
    changes: [[ISSUER, 'otherwise: `']],
    finds: ['use/id_token.iss_*'],
  },
  {
    name: 'takes each issuer below the base URL',
    changes: [
      [ISSUER, 'otherwise: `'],
      ['const isOurs =\n', 'const isOurs =\n    payload.iss?.startsWith(AGE_BASE_URL) &&\n'],
    ],
    finds: ['iss_of_create', 'iss_without_path', 'iss_trailing_slash'].map((name) => `use/id_token.${name}`),
  },
  {
    name: 'takes an issuer with a slash at its end',
    changes: [
      [ISSUER, "issuer: [AGE_BASE_URL + '/v1/oidc/use/', `"],
      ['/v1/oidc/use`,', '/v1/oidc/use`],'],
    ],
    finds: ['use/id_token.iss_trailing_slash'],
  },
  {
    name: 'does not look at aud',
    changes: [
      [AUDIENCE, ''],
      [ONLY_AUDIENCE, ''],
    ],
    finds: ['use/id_token.aud_*', 'use/id_token.azp_of_other_client'],
  },
  {
    name: 'takes an audience that begins with the client_id',
    changes: [
      [AUDIENCE, ''],
      [ONLY_AUDIENCE, '    [payload.aud].flat()[0]?.startsWith(AGE_CLIENT_ID) &&\n'],
    ],
    finds: ['aud_prefix', 'aud_two_without_azp', 'azp_of_other_client'].map((name) => `use/id_token.${name}`),
  },
  {
    name: 'takes a token that is also for another client',
    changes: [[ONLY_AUDIENCE, '']],
    finds: ['use/id_token.aud_two_without_azp', 'use/id_token.azp_of_other_client'],
  },
  {
    name: 'does not look at exp',
    changes: forgiving("error.code === 'ERR_JWT_EXPIRED'"),
    finds: ['use/id_token.expired*'],
  },
  {
    name: 'does not look at nbf',
    changes: forgiving("error.claim === 'nbf'"),
    finds: ['use/id_token.nbf_future'],
  },
  {
    name: 'takes times that are text',
    changes: forgiving("error.reason === 'invalid'"),
    finds: ['use/id_token.exp_string', 'use/id_token.iat_string'],
  },
  {
    name: 'lets a token live for ever',
    changes: [[LIFETIME, '']],
    finds: ['exp_missing', 'exp_milliseconds', 'exp_far_future', 'iat_missing'].map((name) => `use/id_token.${name}`),
  },
  {
    name: 'does not look at sub',
    changes: [
      ["    typeof payload.sub === 'string' &&\n    payload.sub.length > 0 &&\n    payload.sub.length <= 255 &&\n", ''],
    ],
    finds: [
      'use/id_token.sub_missing',
      'use/id_token.sub_empty',
      'use/id_token.sub_number',
      'use/id_token.sub_too_long',
    ],
  },
]
