import type { BrokenApp } from './broken-app.ts'

const BOOLEAN = "    typeof answer === 'boolean' &&\n"
const ONE_ANSWER = "  if (answers.length !== 1) throw new Error('an answer is a token, a wish or an error')\n"
const ERROR = "  if (error !== undefined) return response.status(403).send('No age was proved.')\n"
const WISH = "create_requested === 'true'"
const NOT_18 = "if (!age_thresholds['18'])"
const THRESHOLDS = 'const { 18: answer, ...others } = payload.age_thresholds\n'
const NOT_SAVED = "  if (request.query.error !== undefined) return response.status(403).send('No age key was saved.')\n"
const VALUES = ['strings', 'false_strings', 'numbers', 'nested']
/** What is no yes, but a code comes beside it, which such an app exchanges. */
const ABSENT = ['null', 'one_missing', 'boolean']

/** Apps that read an answer carelessly. */
export const ANSWERS: readonly BrokenApp[] = [
  {
    name: 'takes what is truthy for true',
    changes: [[BOOLEAN, '']],
    finds: [...VALUES, ...ABSENT].map((name) => `use/id_token.age_thresholds.${name}`),
  },
  {
    name: 'takes what is not false for true',
    changes: [
      [BOOLEAN, ''],
      [NOT_18, "if (age_thresholds['18'] === false)"],
    ],
    finds: [...VALUES, ...ABSENT].map((name) => `use/id_token.age_thresholds.${name}`),
  },
  {
    name: 'takes a threshold that is there for one that is met',
    changes: [
      ['openid svc.upgrade', 'openid'],
      [NOT_18, "if (!('18' in age_thresholds))"],
    ],
    finds: ['use/verified'],
  },
  {
    name: 'takes answers in another shape',
    changes: [
      [
        THRESHOLDS,
        `const raw = payload.age_thresholds
  const pairs = Array.isArray(raw) ? raw.map((age) => [age, true]) : Object.entries(typeof raw === 'string' ? JSON.parse(raw) : raw)
  payload.age_thresholds = Object.fromEntries(pairs.map(([age, answer]) => [Number(age), answer]))
  ${THRESHOLDS}`,
      ],
    ],
    finds: ['array', 'string', 'key_spelled_differently'].map((name) => `use/id_token.age_thresholds.${name}`),
  },
  {
    name: 'takes a token without answers for a yes',
    changes: [[THRESHOLDS, `payload.age_thresholds ??= { 18: true }\n  ${THRESHOLDS}`]],
    finds: ['use/id_token.age_thresholds.missing'],
  },
  {
    name: 'copies the answers with what they inherit',
    changes: [[THRESHOLDS, `payload.age_thresholds = Object.assign({}, payload.age_thresholds)\n  ${THRESHOLDS}`]],
    finds: ['use/id_token.age_thresholds.prototype'],
  },
  {
    name: 'takes a token with an error beside it',
    changes: [
      ['[error, create_requested, id_token]', '[create_requested, id_token]'],
      [ERROR, ''],
    ],
    finds: ['use/callback.error_and_success'],
  },
  {
    name: 'takes a token with create_requested beside it',
    changes: [[ONE_ANSWER, '']],
    finds: ['use/callback.create_requested_and_id_token'],
  },
  {
    name: 'takes two tokens and reads the first',
    changes: [['readToken(id_token,', 'readToken([id_token].flat()[0],']],
    finds: ['use/callback.id_token_twice_right_first'],
  },
  {
    name: 'takes two tokens and reads the last',
    changes: [['readToken(id_token,', 'readToken([id_token].flat().at(-1),']],
    finds: ['use/callback.id_token_twice'],
  },
  {
    name: 'lets users in whatever error comes',
    changes: [[ERROR, "  if (error !== undefined) return response.send('Welcome, you are 18.')\n"]],
    finds: [
      ...['access_denied', 'server_error', 'temporarily_unavailable', 'invalid_*', 'unauthorized_client'],
      ...['unsupported_response_type', '*_required', 'callback.error_unknown', 'callback.error_description_*'],
    ].map((name) => `use/${name}`),
  },
  {
    name: 'lets users in whose token it cannot parse',
    changes: [
      [
        '  console.error(error)\n',
        "  if (/^ERR_JW[ST]_INVALID$/.test(error.code)) return response.send('Welcome, you are 18.')\n",
      ],
    ],
    finds: [
      ...['empty', 'not_a_jwt', 'jwe_shape', 'two_parts', 'four_parts', 'trailing_data', 'payload_not_*'].map(
        (name) => `use/id_token.${name}`,
      ),
      // Two tokens are no text, and what asks for no age key in the right words is no token.
      ...['id_token_twice*', 'create_requested_upper_case', 'create_requested_false'].map(
        (name) => `use/callback.${name}`,
      ),
    ],
  },
  {
    name: 'lets users in while the service fails',
    changes: [
      [
        ERROR,
        `  if (/^(server_error|temporarily_unavailable)$/.test(error)) return response.send('Welcome, you are 18.')\n${ERROR}`,
      ],
    ],
    finds: ['use/server_error', 'use/temporarily_unavailable'],
  },
  {
    name: 'lets users in when no error came',
    changes: [
      ['answers.length !== 1', 'answers.length > 1'],
      [ERROR, `  if (answers.length === 0) return response.send('Welcome, you are 18.')\n${ERROR}`],
    ],
    finds: ['use/callback.id_token_missing'],
  },
  {
    name: 'begins to create whatever create_requested says',
    changes: [[WISH, 'create_requested !== undefined']],
    finds: ['use/callback.create_requested_upper_case', 'use/callback.create_requested_false'],
  },
  {
    name: 'begins to create though it never offered that',
    changes: [["      can_create: 'true',\n", '']],
    finds: ['use/callback.create_requested_unasked'],
  },
  {
    name: 'takes an age key for saved whatever error comes',
    changes: [[NOT_SAVED, '']],
    finds: [
      ...['access_denied', 'server_error', 'temporarily_unavailable', 'invalid_*', 'unauthorized_client'],
      ...['unsupported_response_type', 'request_uri.*', 'callback.error_unknown', 'callback.error_and_success'],
      'callback.error_description_*',
    ].map((name) => `create/${name}`),
  },
]
