import { expect, test } from 'vitest'
import { beginCreate } from '../../../../src/service/oidc/create.ts'
import { pushRequest } from '../../../../src/service/oidc/pushed-request.ts'
import { Refusal } from '../../../../src/service/oidc/refusal.ts'
import { decodePairs } from '../../../../src/service/oidc/request/parameters.ts'
import { ERROR_STATUS } from '../../../../src/service/oidc/rules/error-codes.ts'
import type { Finding } from '../../../../src/service/oidc/rules/finding.ts'
import { BRAND, PROFILES, type Profile } from '../../../../src/service/oidc/rules/profile.ts'
import { levelOf, RULES, type RuleId, ruleRow } from '../../../../src/service/oidc/rules/rules.ts'
import { type Beginning, beginUse } from '../../../../src/service/oidc/use.ts'
import { createProvider, type TestProvider } from '../../../support/provider.ts'
import * as requests from '../../../support/requests.ts'
import { ageSignal, basic, type Changes, claims, REDIRECT_URI } from '../../../support/requests.ts'
import {
  createService,
  exchangeBy,
  formRequest,
  jsonRequest,
  received,
  refusalOf,
  type Service,
  upgradeBy,
} from '../../../support/service.ts'
import { CLAIMS_CASES, SIGNAL_CASES, SIGNAL_CONTEXT, signalOf } from '../../age/cases.ts'

/** Fields that are changed in a valid request, or text that is sent behind it: `nonce=another`. */
type Sent = Changes | string

/** What every endpoint answers that does not refuse by a page or a status. */
type Answer = Beginning<unknown> | { readonly findings: readonly Finding[] }

interface Details {
  /** Where, when the message does not begin with the place. */
  readonly path?: string
  /**
   * A missing parameter: the error code is `invalid_request`. Any other request is refused by the
   * code of the rule.
   */
  readonly missing?: true
  /** Rules that such a request cannot help but break too. */
  readonly beside?: readonly string[]
  /** Nothing is redirected: the user sees a page. */
  readonly page?: true
  /** What the redirect has that others have not: another mode, no state. */
  readonly callback?: { readonly mode?: 'query'; readonly state?: undefined }
  readonly headers?: Readonly<Record<string, string>>
  /** The profile in which the request breaks the rule; both when left out. */
  readonly only?: Profile
}

/**
 * A request that breaks a rule. `svc` stands for the word of the profile; an ellipsis ends the
 * beginning of a message.
 */
type Row = readonly [rule: RuleId, sent: Sent, message: string, details?: Details]

interface RuleCase extends Details {
  readonly endpoint: string
  readonly rule: string
  readonly breaks: string
  readonly message: string
  send(service: Service<TestProvider>): Answer | Promise<Answer>
}

type Send = (service: Service<TestProvider>, sent: Sent) => Answer | Promise<Answer>

const missing = (rule: RuleId, name: string, details: Details = MISSING): Row[] => [
  [rule, { [name]: undefined }, `${name} is missing`, details],
  [rule, { [name]: '' }, `${name} is missing: it was received without a value`, details],
]
/** Values of the parameter with which a message begins; the message has the value for `%j`. */
const values = (rule: RuleId, message: string, ...all: string[]): Row[] =>
  all.map((value) => [
    rule,
    { [message.split(' ', 1)[0] ?? '']: value },
    message.replace('%j', JSON.stringify(value)),
  ])

const STATELESS = { callback: { state: undefined } } as const
const PAGE = { page: true } as const
const MISSING = { missing: true } as const
const MISSING_PAGE = { ...MISSING, ...PAGE }
const CODE = { path: 'code' } as const
const BODY = { path: '' } as const
const SPEC = { only: 'spec' } as const
const OF_AGEKEY = { scope: 'openid agekey.upgrade' }
const WRONG_TYPE = { scope: undefined, response_type: 'code id_token' }
const EVIL = { redirect_uri: 'https://evil.example/' }
const QUERIED = `${REDIRECT_URI}?a=b`
const NO_ADDRESSES = { request_uri: undefined, redirect_uri: undefined }
const NO_CREDENTIALS = { client_id: undefined, client_secret: undefined }
const ALONE = { scope: undefined, response_type: undefined, redirect_uri: undefined }
const AUTHORIZATION = basic('ak_test_sandbox', 'sk_test_sandbox')
const REGISTERED = 'Registered: ak_test_sandbox, other.'
const UNKNOWN = `client_id "nobody" is not registered here. ${REGISTERED}`
const WRONG_SECRET = 'client_secret is wrong for client "ak_test_sandbox", which is registered:'
const ANOTHER_SECRET = `${WRONG_SECRET} 5 characters were received, which are another secret. ${REGISTERED}`
const BESIDE_HEADER =
  'is in the form beside an Authorization header: a request authenticates by one of them'
const ADDRESSES = `is not registered for client ak_test_sandbox; registered: ${REDIRECT_URI}, ${REDIRECT_URI}?a=b`
const UNREGISTERED = `redirect_uri https://evil.example/ ${ADDRESSES}`
const USE_SCOPE = 'scope must be "openid" or "openid svc.upgrade"'
const OTHER_WORD =
  'agekey.upgrade is the upgrade scope of profile agekey, and this sandbox runs with profile spec: start it with --profile agekey'
const MODES = 'response_mode must be fragment, query or form_post'
const MALFORMED =
  'is not well-formed: it has bytes that are not UTF-8; percent-encode it as UTF-8, without NUL characters'
const WITH_NUL =
  'is not well-formed: it has a NUL character; percent-encode it as UTF-8, without NUL characters'
const OF_CORE =
  'is a standard parameter (OpenID Connect Core) that this endpoint does not use: it was ignored'
const OF_OAUTH =
  'is a standard parameter (RFC 6749) that this endpoint does not use: it was ignored'
const TOO_LONG = 'is 5000 bytes long; at most 4096 are taken'
const BOTH = 'openid agekey-upgrade agekey_upgrade'
const OLDER = 'an older spelling of the upgrade scope, which is svc.upgrade'
const NOT_READ = 'urn:svc:request:*** is not supported here: it was not read'
const NOT_ISSUED = 'request_uri urn:svc:request:*** was not issued to this client: received'
const OF_38 = '; a request_uri of this sandbox has 38 characters'
const BEGINNING = 'request_uri must begin with urn:svc:request: (profile spec)'
const MANY_METHODS = 'claims.allowed_methods must have at most 100 entries, has 101'

const REPEATED = 'stands more than once: only the last one is read'
const TWO_SIGNALS = JSON.stringify([ageSignal(), ageSignal()])
const NO_MAXIMUM = 'no maximum is specified, and the examples carry one'
const TWO_METHODS = JSON.stringify([ageSignal()]).replace('{', '{"method":"",')
const BY_QUERY = `${REDIRECT_URI} (differs by the query: ?a=b is not none)`
const ID_TOKEN_CODE = 'response_type must be id_token, is "id_token code"'
const FOR_SERVERS =
  'is for E2 and E4 and must never reach a browser: it was ignored. The secret is burnt, since browsers and logs keep addresses: replace it'
const NO_COLOUR = '%j is not #rgb, #rrggbb or a CSS colour name'
const OBJECT = 'request e30.e30. is not supported here: it was not read'
const TYPE = 'type must be age_verification'
const OF_OTHER_PROFILE = `${BEGINNING}, begins with urn:agekey:request:, which is that of profile agekey`
const GRANT = 'grant_type must be authorization_code'
const NO_CODE = 'no such code was issued'
const FORGOTTEN = ', or a reset or a restart has forgotten it: received'
const OF_22 = '; a code of this sandbox has 22 characters'
const AUTHENTICATES = 'the Authorization header authenticates ak_test_sandbox'
const BESIDE_SECRET = `an Authorization header is sent beside client_secret: a request authenticates by one of them`

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const ASSERTION = { client_assertion: 'e30.e30.c2ln', client_assertion_type: JWT_BEARER }
const UNREAD = `authenticates no client here: an assertion of the client_assertion_type ${JWT_BEARER} (private_key_jwt, client_secret_jwt) is not read`
const IN_FORM_HERE = 'E2 takes client_id and client_secret in the form'
const BY_BASIC_HERE = 'E4 takes HTTP Basic: Authorization: Basic base64(client_id:client_secret)'
const ONE_METHOD =
  'a request authenticates by one of them (RFC 6749 section 2.3, RFC 7521 section 4.2)'

const PRESENTATION: readonly Row[] = [
  ...values('USE-13', 'theme %j is not light, dark or system', 'blue'),
  ...values('USE-14', 'language %j is not an IETF BCP 47 tag such as en or pt-BR', 'e!n'),
]

const E1: readonly Row[] = [
  ['USE-01', { client_id: 'nobody' }, UNKNOWN, PAGE],
  ...missing('USE-01', 'client_id', MISSING_PAGE),
  ['USE-02', EVIL, UNREGISTERED, PAGE],
  ...missing('USE-02', 'redirect_uri', MISSING_PAGE),
  ...missing('USE-03', 'scope'),
  ['USE-03', WRONG_TYPE, 'scope is missing', { ...MISSING, beside: ['USE-04'] }],
  ...values('USE-03', `${USE_SCOPE}, is %j`, ' ', 'openid email'),
  ...values(
    'USE-03',
    `${USE_SCOPE}, is %j. Did you mean "openid svc.upgrade"?`,
    'svc.upgrade',
    'openid,svc.upgrade',
  ),
  ['USE-03', { scope: 'OpenID' }, `${USE_SCOPE}, is "OpenID". Did you mean "openid"?`],
  ['USE-03', { scope: 'agekey-upgrade' }, `${USE_SCOPE}, is "agekey-upgrade"`, SPEC],
  ['USE-03', OF_AGEKEY, `${USE_SCOPE}, is "openid agekey.upgrade". ${OTHER_WORD}`, SPEC],
  ...missing('USE-04', 'response_type'),
  [
    'USE-04',
    { response_type: 'code' },
    'response_type must be id_token, is "code"',
    { callback: { mode: 'query' } },
  ],
  [
    'USE-04',
    { response_type: 'token', scope: 'openid svc.upgrade' },
    'response_type must be id_token, is "token"',
  ],
  ...values('USE-04', 'response_type must be id_token, is %j', 'id_token token', 'code id_token'),
  ['USE-05', { response_type: 'id_token code', scope: 'openid svc.upgrade' }, ID_TOKEN_CODE],
  ['USE-06', { response_mode: 'web_message' }, `${MODES}, is "web_message"`],
  ['USE-06', { response_mode: 'QUERY' }, `${MODES}, is "QUERY". Did you mean "query"?`],
  ['USE-06', { response_mode: 'form-post' }, `${MODES}, is "form-post". Did you mean "form_post"?`],
  ...missing('USE-07', 'state', { ...MISSING, ...STATELESS }),
  ...missing('USE-08', 'nonce'),
  ...missing('USE-09', 'claims'),
  ...values('USE-09', 'claims must be JSON, is %j: Unexpected token…', 'age>18', '%7B%7D'),
  ['USE-10', 'nonce=another', 'nonce is sent more than once: "nonce-1" and "another"'],
  ['USE-10', 'nonce=b&nonce=c', 'nonce is sent more than once: "nonce-1" and "b"'],
  ['USE-10', 'nonce=', 'nonce is sent more than once: "nonce-1" and no value'],
  ['USE-10', 'state=another', 'state is sent more than once: "state-1" and "another"', STATELESS],
  ['USE-10', 'x=1&x=1', 'x is sent more than once', { beside: ['USE-11'] }],
  ['USE-10', 'request_uri=a&request_uri=b', 'request_uri is sent more than once'],
  ...['nonce=%ff', 'nonce=%', 'nonce=%ed%a0%80'].map(
    (sent): Row => ['USE-10', sent, `nonce ${MALFORMED}`],
  ),
  ['USE-10', 'nonce=a%00b', `nonce ${WITH_NUL}`],
  ['USE-10', '%zz=1', `%zz ${MALFORMED}`],
  ['USE-10', 'x%00y=1', `"x\\u0000y" ${WITH_NUL}`, { path: 'x\0y' }],
  ['USE-11', { prompt: 'login' }, `prompt ${OF_CORE}`],
  ['USE-11', { client_secret: 'sk_test_sandbox' }, `client_secret ${FOR_SERVERS}`],
  [
    'USE-11',
    { x: 'y'.repeat(5_000) },
    'x is not known and was ignored. Known: scope, response_type, response_mode…',
  ],
  ...values(
    'USE-12',
    'can_create must be exactly true, is %j; only the use choice is offered',
    'TRUE',
    '1',
  ),
  ...PRESENTATION,
  ...values('USE-15', 'learn_more %j is not true or false', '0'),
  ...values('USE-16', `primary_color ${NO_COLOUR}`, '#ab'),
  ...values('USE-16', `secondary_color ${NO_COLOUR}`, 'url(x)'),
  ...values('USE-16', `text_color ${NO_COLOUR}`, 'constructor'),
  ...values('USE-16', `background_color ${NO_COLOUR}`, '#12345g'),
  ...values('USE-16', 'text_align %j is not left, center or right', 'justify'),
  ...values(
    'USE-16',
    'button_radius %j is not a whole number from 0 to 32',
    '33',
    '-1',
    '1.5',
    '032',
  ),
  ...values('USE-16', 'gradient %j is not true or false', 'yes'),
  ...values('USE-16', 'font %j is not 1 to 60 letters, digits and spaces', 'Arial;}', '  '),
  [
    'USE-16',
    { font: 'x'.repeat(61) },
    `font "${'x'.repeat(60)}…" is not 1 to 60 letters, digits and spaces`,
  ],
  ...values('USE-17', `scope %j has agekey_upgrade: ${OLDER}`, 'openid agekey_upgrade'),
  ['USE-17', { scope: BOTH }, `scope "${BOTH}" has agekey_upgrade and agekey-upgrade: ${OLDER}`],
  ['USE-18', { request: 'e30.e30.' }, OBJECT],
  [
    'USE-18',
    { request: 'e'.repeat(5_000) },
    `request "${'e'.repeat(60)}…" is not supported here: it was not read`,
  ],
  ['USE-18', { request: '<urn:svc:request:x>' }, `request <${NOT_READ}`],
  ['CLM-20', { claims: claims({ allowed_methods: Array(101).fill('id_doc_scan') }) }, MANY_METHODS],
  [
    'CLM-21',
    { claims: '{"age_thresholds":[21],"age_thresholds":[18]}' },
    `claims.age_thresholds ${REPEATED}`,
  ],
  ['USE-23', { nonce: 'n'.repeat(4_097) }, 'nonce is 4097 bytes long; at most 4096 are taken'],
  ['USE-23', { font: 'ü'.repeat(2_049) }, 'font is 4098 bytes long; at most 4096 are taken'],
  [
    'USE-23',
    { state: 's'.repeat(60_000) },
    'state is 60000 bytes long; at most 4096 are taken',
    STATELESS,
  ],
  ['USE-24', { request_uri: 'urn:svc:request:x' }, `request_uri ${NOT_READ}`],
]

const E2: readonly Row[] = [
  ['PAR-02', { client_secret: 'wrong' }, ANOTHER_SECRET],
  ...missing('PAR-02', 'client_secret', {}),
  ...missing('PAR-02', 'client_id', {}),
  ['PAR-02', { client_id: 'nobody' }, UNKNOWN],
  [
    'PAR-02',
    { ...ASSERTION, client_secret: undefined },
    `client_assertion ${UNREAD}; ${IN_FORM_HERE}`,
    { beside: ['PAR-12'] },
  ],
  [
    'PAR-02',
    { ...NO_CREDENTIALS, client_assertion: 'e30.e30.c2ln' },
    `client_assertion ${UNREAD.replace(` of the client_assertion_type ${JWT_BEARER}`, '')}; ${IN_FORM_HERE}`,
  ],
  [
    'PAR-02',
    { client_secret: undefined, client_assertion_type: JWT_BEARER },
    `client_assertion_type ${UNREAD}; ${IN_FORM_HERE}`,
    { beside: ['PAR-12'] },
  ],
  [
    'PAR-13',
    { client_assertion: 'e30.e30.c2ln' },
    `client_assertion is sent beside client_secret: ${ONE_METHOD}`,
  ],
  [
    'PAR-13',
    { client_assertion: 'e'.repeat(5_000) },
    `client_assertion is sent beside client_secret: ${ONE_METHOD}`,
  ],
  ['PAR-11', 'client_assertion=a&client_assertion=b', 'client_assertion is sent more than once'],
  ...missing('PAR-03', 'scope'),
  ...values('PAR-03', 'scope must be openid, is %j', ' ', 'openid profile'),
  ['PAR-03', OF_AGEKEY, `scope must be openid, is "openid agekey.upgrade". ${OTHER_WORD}`, SPEC],
  ...values(
    'PAR-04',
    'scope must be openid, is %j',
    'svc.upgrade  openid openid',
    'openid agekey_upgrade',
  ),
  ...missing('PAR-05', 'response_type'),
  ...values('PAR-05', 'response_type must be none, is %j', 'id_token'),
  ...values('PAR-06', `${TYPE}, is %j`, 'payment'),
  ...values('PAR-06', `${TYPE}, is %j. Did you mean "age_verification"?`, 'ageVerification'),
  ...missing('PAR-07', 'type'),
  ['PAR-08', EVIL, UNREGISTERED],
  ...missing('PAR-08', 'redirect_uri'),
  ...missing('PAR-09', 'state'),
  ...missing('PAR-10', 'authorization_details'),
  ...values('PAR-10', 'authorization_details must be JSON, is %j: Unexpected token…', 'none'),
  ['PAR-11', 'state=another', 'state is sent more than once: "state-1" and "another"'],
  ['PAR-11', 'client_secret=x', 'client_secret is sent more than once'],
  ['PAR-12', { login_hint: 'x' }, `login_hint ${OF_CORE}`],
  ['PAR-14', { request: 'e30.e30.' }, OBJECT],
  ['PAR-15', { state: 's'.repeat(5_000) }, `state ${TOO_LONG}`],
  ['SIG-22', { authorization_details: TWO_METHODS }, `authorization_details[0].method ${REPEATED}`],
  [
    'SIG-23',
    { authorization_details: TWO_SIGNALS },
    `authorization_details should carry one age signal, carries 2: ${NO_MAXIMUM}`,
  ],
  ['PAR-16', { request_uri: 'urn:svc:request:x' }, `request_uri ${NOT_READ}`],
]

const E3: readonly Row[] = [
  ['CRE-01', { client_id: 'nobody' }, UNKNOWN, PAGE],
  ...missing('CRE-01', 'client_id', MISSING_PAGE),
  ['CRE-02', EVIL, UNREGISTERED, PAGE],
  ['CRE-02', NO_ADDRESSES, 'redirect_uri is missing', { ...MISSING_PAGE, beside: ['CRE-07'] }],
  [
    'CRE-03',
    { redirect_uri: QUERIED },
    `redirect_uri ${QUERIED} is not the one that was pushed: ${BY_QUERY}`,
    PAGE,
  ],
  ...values('CRE-04', 'scope must be openid, is %j', 'profile'),
  ...values('CRE-05', 'scope must be openid, is %j', 'openid svc.upgrade', 'openid agekey-upgrade'),
  ...values('CRE-06', 'response_type must be none, is %j', 'code'),
  ...missing('CRE-07', 'request_uri', { ...MISSING, ...STATELESS }),
  [
    'CRE-08',
    { request_uri: 'urn:svc:request:guess' },
    `${NOT_ISSUED} 21 characters that begin with "urn:svc:request:gues"${OF_38}`,
    { ...STATELESS, ...SPEC },
  ],
  ['CRE-08', { request_uri: 'https://rp.example/request' }, `${BEGINNING} and does not`, STATELESS],
  [
    'CRE-08',
    { request_uri: 'urn:other:request:x' },
    `${BEGINNING}, begins with urn:other:request:`,
    STATELESS,
  ],
  ['CRE-08', { request_uri: 'urn:agekey:request:x' }, OF_OTHER_PROFILE, { ...STATELESS, ...SPEC }],
  ['CRE-08', { request_uri: 'xurn:other:request:x' }, `${BEGINNING} and does not`, STATELESS],
  [
    'CRE-08',
    { client_id: 'other' },
    `${NOT_ISSUED} 38 characters that begin with "urn:svc:request:Mrx9"`,
    { ...STATELESS, ...SPEC },
  ],
  ['CRE-11', 'scope=openid', 'scope is sent more than once: "openid" and "openid"'],
  ['CRE-11', 'request_uri=x', 'request_uri is sent more than once', STATELESS],
  [
    'CRE-11',
    'redirect_uri=x',
    `redirect_uri is sent more than once: "${REDIRECT_URI}" and "x"`,
    PAGE,
  ],
  ['CRE-12', { state: 'x' }, `state ${OF_OAUTH}`],
  ['CRE-13', { scope: '' }, 'scope is missing beside request_uri'],
  ...Object.keys(ALONE).map(
    (name): Row => ['CRE-13', { [name]: undefined }, `${name} is missing beside request_uri`],
  ),
  [
    'CRE-13',
    ALONE,
    'scope, response_type, redirect_uri are missing beside request_uri',
    { path: 'scope' },
  ],
  ['CRE-14', { request: 'e30.e30.' }, OBJECT],
  ['CRE-15', { theme: 't'.repeat(5_000) }, `theme ${TOO_LONG}`],
  ['CRE-15', { redirect_uri: REDIRECT_URI.padEnd(5_000, 'c') }, `redirect_uri ${TOO_LONG}`, PAGE],
  ['CRE-15', { request_uri: 'r'.repeat(5_000) }, `request_uri ${TOO_LONG}`, STATELESS],
  ...PRESENTATION,
]

const E4: readonly Row[] = [
  ...missing('TOK-03', 'grant_type'),
  ...values('TOK-03', `${GRANT}, is %j`, 'refresh_token'),
  ...values('TOK-03', `${GRANT}, is %j. Did you mean "authorization_code"?`, 'authorization-code'),
  ...missing('TOK-04', 'code'),
  [
    'TOK-05',
    { code: 'abcdefghij' },
    `${NO_CODE}${FORGOTTEN} 10 characters that begin with "abcd"${OF_22}`,
    CODE,
  ],
  [
    'TOK-05',
    { code: 'x'.repeat(5_000) },
    `${NO_CODE}${FORGOTTEN} 5000 characters that begin with "xxxx"${OF_22}`,
    CODE,
  ],
  ['TOK-05', { code: 'sk_test_sandbox' }, `${NO_CODE}: it is a client_secret`, CODE],
  ['TOK-08', 'grant_type=x', 'grant_type is sent more than once: "authorization_code" and "x"'],
  ['TOK-08', 'code=x', 'code is sent more than once'],
  ['TOK-09', { redirect_uri: REDIRECT_URI }, `redirect_uri ${OF_OAUTH}`],
  ['TOK-10', { client_secret: 'sk_test_sandbox' }, `client_secret ${BESIDE_HEADER}`],
  ['TOK-10', { client_id: 'other' }, `client_id in the form is "other"; ${AUTHENTICATES}`],
  [
    'TOK-10',
    { client_id: 'AK_TEST_SANDBOX' },
    `client_id in the form is "AK_TEST_SANDBOX"; ${AUTHENTICATES}`,
  ],
]

const changed = (endpoint: string, rows: readonly Row[], send: Send) =>
  rows.map(([rule, sent, message, details]): RuleCase => {
    const breaks = JSON.stringify(sent, (_, value) => value ?? null).slice(0, 80)
    return { endpoint, rule, message, breaks, ...details, send: (service) => send(service, sent) }
  })

function encode(
  valid: (changes?: Changes) => requests.Fields,
  sent: Sent,
  { brand }: TestProvider,
): string {
  if (typeof sent === 'string') return `${new URLSearchParams(valid())}&${sent}`
  return String(new URLSearchParams(valid(sent))).replaceAll('svc', brand)
}

const byFields = [
  ...changed('E1', E1, ({ provider }, sent) =>
    beginUse(decodePairs(encode(requests.useRequest, sent, provider)), provider),
  ),
  ...changed('E2', E2, ({ provider }, sent) =>
    pushRequest(formRequest(encode(requests.pushedRequest, sent, provider)), provider),
  ),
  ...changed('E3', E3, async ({ provider, obtainRequestUri }, sent) => {
    const requestUri = await obtainRequestUri()
    const valid = (changes?: Changes) => requests.createRequest(requestUri, changes)
    return beginCreate(decodePairs(encode(valid, sent, provider)), provider)
  }),
  ...changed('E4', E4, async ({ provider, obtainCode }, sent) => {
    const code = await obtainCode()
    const form = encode((changes) => requests.tokenRequest(code, changes), sent, provider)
    return exchangeBy(formRequest(form, { authorization: AUTHORIZATION }), provider)
  }),
]

const challenged = (challenge: string) => ({
  path: 'Authorization',
  headers: { 'WWW-Authenticate': challenge },
})
const BASIC = challenged('Basic realm="agekey-sandbox", charset="UTF-8"')
const ASSERTED = { path: 'client_assertion', headers: BASIC.headers, beside: ['TOK-09'] }
const BEARER = challenged('Bearer realm="agekey-sandbox", error="invalid_token"')
const NO_ERROR = challenged('Bearer realm="agekey-sandbox"')
const IN_FORM = { client_id: 'ak_test_sandbox', client_secret: 'sk_test_sandbox' }
const NO_HEADER = 'the Authorization header is missing'
const NO_PADDING = 'Authorization must be Basic with standard base64; it has too little padding (=)'
const NO_TOKEN =
  'Authorization is Bearer without a token, or with blanks, quotes or other characters that no token has'
const NO_ACCESS = 'the access token was not issued here'
const OF_51 = '; an access token of this sandbox has 51 characters'

const DETAILS = { authorization_details: [ageSignal()] }
const TWICE_ENCODED = JSON.stringify({ authorization_details: JSON.stringify([ageSignal()]) })
const SERVED = 'request_uri has already been used: it serves one decision'
const TOKEN_EXPIRED =
  'the access token expired 2 seconds ago by the sandbox clock; it lives 10800 seconds'

/** An Authorization header to E4, to E5, or to E2 beside the `client_secret` of the form. */
const HEADERS: readonly (readonly [
  RuleId,
  string | undefined,
  message: string,
  Details,
  form?: Changes,
])[] = [
  ['TOK-02', undefined, NO_HEADER, BASIC],
  [
    'TOK-02',
    undefined,
    `${NO_HEADER}; client_secret in the form does not count here`,
    BASIC,
    IN_FORM,
  ],
  ['TOK-02', basic('ak_test_sandbox', 'wrong'), ANOTHER_SECRET, BASIC],
  ['TOK-02', undefined, `client_assertion ${UNREAD}; ${BY_BASIC_HERE}`, ASSERTED, ASSERTION],
  [
    'TOK-02',
    undefined,
    `client_assertion_type ${UNREAD}; ${BY_BASIC_HERE}`,
    { ...ASSERTED, path: 'client_assertion_type' },
    { client_assertion_type: JWT_BEARER },
  ],
  [
    'TOK-10',
    AUTHORIZATION,
    `client_assertion is sent beside an Authorization header: ${ONE_METHOD}`,
    { beside: ['TOK-09'] },
    ASSERTION,
  ],
  [
    'TOK-10',
    undefined,
    `client_assertion is sent beside client_secret: ${ONE_METHOD}`,
    {},
    { ...IN_FORM, client_assertion: 'e30.e30.c2ln' },
  ],
  [
    'PAR-13',
    AUTHORIZATION,
    `client_assertion is sent beside an Authorization header: ${ONE_METHOD}`,
    {},
    { ...NO_CREDENTIALS, client_assertion: 'e30.e30.c2ln' },
  ],
  ['TOK-10', 'Bearer x', `client_secret ${BESIDE_HEADER}`, {}, { client_secret: 'x' }],
  ['TOK-11', AUTHORIZATION.replace(/=+$/, ''), NO_PADDING, BASIC],
  ['UPG-02', undefined, NO_HEADER, NO_ERROR],
  ['UPG-02', AUTHORIZATION, 'Authorization is Basic; it must be Bearer', BEARER],
  ['UPG-02', 'Bearer "a"', NO_TOKEN, BEARER],
  [
    'UPG-03',
    'Bearer unknown',
    `${NO_ACCESS}: received 7 characters that begin with "unkn"${OF_51}`,
    BEARER,
  ],
  [
    'UPG-03',
    `Bearer at_test_${'x'.repeat(43)}`,
    `${NO_ACCESS}: received 51 characters that begin with "at_test_xxxx"`,
    BEARER,
  ],
  ['UPG-03', 'Bearer sk_test_sandbox', `${NO_ACCESS}: it is a client_secret`, BEARER],
  [
    'PAR-02',
    AUTHORIZATION,
    'client_id is missing; the Authorization header does not count here',
    {},
    NO_CREDENTIALS,
  ],
  ['PAR-13', AUTHORIZATION, BESIDE_SECRET, { path: 'Authorization' }],
]

const byHeader = HEADERS.map(([rule, authorization, message, details, form = {}]): RuleCase => {
  const endpoint = rule.startsWith('TOK') ? 'E4' : rule.startsWith('UPG') ? 'E5' : 'E2'
  const send: RuleCase['send'] = async ({ provider, obtainCode }) => {
    if (endpoint === 'E2')
      return pushRequest(formRequest(requests.pushedRequest(form), { authorization }), provider)
    if (endpoint === 'E5') return upgradeBy(jsonRequest(DETAILS, authorization), provider)
    return exchangeBy(
      formRequest(requests.tokenRequest(await obtainCode(), form), { authorization }),
      provider,
    )
  }
  const breaks = `Authorization ${authorization} and ${Object.keys(form)}`
  return { endpoint, rule, message, breaks, ...details, send }
})

/** A body of E5; `$` stands for the name of its member. */
const BODIES: readonly (readonly [
  rule: RuleId,
  body: string,
  message: string,
  details?: Details,
])[] = [
  ['UPG-05', '', 'the body must be JSON: Unexpected end of JSON input (it is empty)', BODY],
  ['UPG-05', '[]', 'the body must be a JSON object with $, is an array', BODY],
  ['UPG-05', '"text"', 'the body must be a JSON object with $, is "text"', BODY],
  ['UPG-05', '{}', '$ is missing'],
  [
    'UPG-05',
    '{"details":[]}',
    '$ is missing; details was received: did you mean $?',
    { beside: ['UPG-07'] },
  ],
  ['UPG-05', '{"__proto__":{"$":[]}}', '$ is missing', { beside: ['UPG-07'] }],
  [
    'UPG-06',
    TWICE_ENCODED,
    '$ must be a JSON array, is JSON inside a string: it was encoded twice',
  ],
  [
    'UPG-06',
    `{"$":"[{'type':1}]"}`,
    '$ must be a JSON array, is JSON inside a string: it was encoded twice (write double quotes instead of single ones)',
    { ...SPEC, beside: ['SIG-01'] },
  ],
  ['UPG-06', '{"$":"x"}', '$ must be a JSON array, is "x"', { ...SPEC, beside: ['SIG-01'] }],
  [
    'UPG-07',
    JSON.stringify({ ...DETAILS, note: 'x' }),
    'note is not known and was ignored. Known: $.',
  ],
  ['SIG-22', `{"$":[],"$":${TWO_METHODS}}`, `$ ${REPEATED}`, { beside: ['SIG-22'] }],
  ['SIG-01', '{"$":null}', '$ must be an array of age signals, is null'],
  ['SIG-02', '{"$":[]}', '$ must hold 1 to 10 age signals, holds 0'],
]

const byBody = BODIES.map(([rule, text, withName, details]): RuleCase => {
  const [body = '', message = ''] = [text, withName].map((one) =>
    one.replaceAll('$', 'authorization_details'),
  )
  const send: RuleCase['send'] = async (service) =>
    upgradeBy(jsonRequest(body, `Bearer ${await service.obtainToken()}`), service.provider)
  return {
    endpoint: 'E5',
    rule,
    breaks: `the body ${text.slice(0, 50)}`,
    message,
    ...details,
    send,
  }
})

type Meanwhile = (service: Service<TestProvider>, issued: string, code: string) => unknown

const wait =
  (seconds: number): Meanwhile =>
  ({ provider }) =>
    provider.clock.advance(seconds)
const replaceAgeKey: Meanwhile = async (service) =>
  service.create(await service.obtainRequestUri(), {}, { kind: 'created', holder: 'child' })
const CODE_ENDED =
  'the code has already been exchanged; the access token that came of it has been ended'
const TOKEN_ENDED = 'the access token was ended, because its code was exchanged again'

/** What was issued serves no more, because of what happened meanwhile. */
const EARLIER: readonly (readonly [
  'E3' | 'E4' | 'E5',
  RuleId,
  message: string,
  Meanwhile,
  Details?,
])[] = [
  [
    'E3',
    'CRE-09',
    'request_uri expired 0 seconds ago by the sandbox clock; it lives 90 seconds',
    wait(90),
  ],
  ['E3', 'CRE-10', SERVED, (service, issued) => service.create(issued)],
  [
    'E4',
    'TOK-06',
    'the code expired 1 second ago by the sandbox clock; it lives 600 seconds',
    wait(601),
    CODE,
  ],
  ['E4', 'TOK-07', CODE_ENDED, (service, issued) => service.exchange(issued), CODE],
  ['E5', 'UPG-03', TOKEN_EXPIRED, wait(10_802), BEARER],
  [
    'E5',
    'UPG-04',
    'the age key that the access token names no longer exists',
    replaceAgeKey,
    BEARER,
  ],
  [
    'E5',
    'UPG-08',
    TOKEN_ENDED,
    (service, _, code) => refusalOf(() => service.exchange(code)),
    BEARER,
  ],
]

const ofEarlier = EARLIER.map(([endpoint, rule, message, meanwhile, details]): RuleCase => {
  async function send(service: Service<TestProvider>): Promise<Answer> {
    const code = await service.obtainCode()
    const obtainToken = async () => (await service.exchange(code)).response.access_token
    const issued = await { E3: service.obtainRequestUri, E4: () => code, E5: obtainToken }[
      endpoint
    ]()
    await meanwhile(service, issued, code)
    if (endpoint === 'E4') return service.exchange(issued)
    if (endpoint === 'E5') return service.upgrade(issued)
    return beginCreate(Object.entries(requests.createRequest(issued)), service.provider)
  }
  return {
    endpoint,
    rule,
    message,
    breaks: `what was issued earlier (${message})`,
    ...details,
    send,
  }
})

const JSON_FORM: RuleCase = {
  endpoint: 'E2',
  rule: 'PAR-02',
  breaks: 'JSON that is called a form',
  message: 'client_id is missing: JSON was received instead of a form',
  beside: ['PAR-12', 'PAR-03', 'PAR-05', 'PAR-07', 'PAR-08', 'PAR-09', 'PAR-10'],
  send: ({ provider }) =>
    pushRequest(formRequest(JSON.stringify(requests.pushedRequest())), provider),
}

/** The first case of each rule, in the age rooms, that breaks no other, but for recommendations. */
const firstOf = <Case extends { readonly issues: readonly string[] }>(cases: readonly Case[]) => {
  const byRule = new Map<string, Case>()
  for (const one of cases) {
    const [rule, ...others] = new Set(one.issues.map((text) => text.slice(0, 6)))
    const isAlone = others.every((other) => ['SIG-10', 'SIG-13'].includes(other))
    if (rule !== undefined && isAlone && !byRule.has(rule)) byRule.set(rule, one)
  }
  return [...byRule.values()]
}

/**
 * What is broken by issues such as `CLM-03 age_thresholds/1: claims.age_thresholds[1] must be …`.
 */
function byIssues(root: string, [first = '', ...others]: readonly string[]) {
  const [, rule = '', steps = '', message = ''] = /^(\S+) ([^:]*): (.*)$/s.exec(first) ?? []
  const path = steps.split('/').map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
  const beside = others.map((text) => text.slice(0, 6))
  return { rule, path: root + (steps && path.join('')), message, beside }
}

const byClaims = firstOf(CLAIMS_CASES).map(({ claims, issues }): RuleCase => {
  const query = Object.entries(requests.useRequest({ claims: JSON.stringify(claims) }))
  const send: RuleCase['send'] = ({ provider }) => beginUse(query, provider)
  return { endpoint: 'E1', breaks: 'claims', ...byIssues('claims', issues), send }
})

const bySignals = firstOf(SIGNAL_CASES).map((one): RuleCase => {
  function send({ provider, push }: Service<TestProvider>) {
    provider.clock.advance((SIGNAL_CONTEXT.now - provider.clock.now()) / 1000)
    return push({ authorization_details: JSON.stringify([signalOf(one)]) })
  }
  const issues = one.issues.map((text) => text.replace(' ', ' 0/'))
  return {
    endpoint: 'E2',
    breaks: 'an age signal',
    ...byIssues('authorization_details', issues),
    send,
  }
})

const RULE_CASES = [
  ...byFields,
  ...byHeader,
  ...byBody,
  ...ofEarlier,
  JSON_FORM,
  ...byClaims,
  ...bySignals,
]

/** What a caller is told: the findings, and how the request is refused. */
async function askFor(send: () => Answer | Promise<Answer>) {
  try {
    const answer = await send()
    if (!('kind' in answer) || answer.kind === 'proceed') return { ...answer, refusal: undefined }
    const { params, ...callback } = received(answer.callback)
    return { findings: answer.findings, refusal: { ...callback, ...params } }
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal
    const { findings, status, code: error, message, headers } = refusal
    return { findings, refusal: { status, error, error_description: message, headers } }
  }
}

const inProfiles = PROFILES.flatMap((profile) =>
  RULE_CASES.filter(({ only = profile }) => only === profile).map(
    (one) => [profile, one.endpoint, one.breaks, one.rule, one] as const,
  ),
)

test.each(inProfiles)(
  'In profile %s %s with %s breaks %s',
  async (profile, endpoint, _breaks, rule, one) => {
    const row = ruleRow(rule)
    const level = levelOf(row, profile)
    const message = one.message
      .replaceAll('svc', BRAND[profile])
      .replaceAll('profile spec', `profile ${profile}`)
    const provider = createProvider({ profile, vocabulary: SIGNAL_CONTEXT })
    const { findings, refusal } = await askFor(() => one.send(createService(provider)))
    const { path = message.split(/[ :]/, 1)[0], beside = [], missing = false } = one
    const error = missing ? 'invalid_request' : row.error
    expect(findings).toEqual([
      { rule, level, path, message: wholeOrBeginning(message), hint: row.hint },
      ...beside.map((other) => expect.objectContaining({ rule: other })),
    ])
    const error_description = expect.stringContaining(`${rule}: ${printable(message)}`)
    const mode = endpoint === 'E1' ? 'fragment' : 'query'
    const told = { error, error_description }
    const byRedirect = { mode, address: REDIRECT_URI, ...told, state: 'state-1', ...one.callback }
    const byStatus = {
      status: one.page ? 400 : ERROR_STATUS[error],
      ...told,
      headers: one.headers ?? {},
    }
    const expected = one.page || !['E1', 'E3'].includes(endpoint) ? byStatus : byRedirect
    expect(refusal).toEqual(level === 'advice' ? undefined : expected)
    const ends = [`${printable(row.hint)}.`, '...'].filter((end) =>
      String(refusal?.['error_description']).endsWith(end),
    )
    expect(ends).toHaveLength(refusal && expected === byRedirect ? 1 : 0)
    expect(JSON.stringify([findings, refusal])).not.toContain('sk_test_sandbox')
  },
)

const wholeOrBeginning = (message: string) =>
  message.endsWith('…') ? expect.stringContaining(message.slice(0, -1)) : message

/** The beginning of a message in the characters of an `error_description`. */
const printable = (message: string) =>
  message
    .replace(/…$/, '')
    .replaceAll('…', '...')
    .replaceAll(/\\?"/g, "'")
    .replaceAll('\\', '/')
    .replace(/\.$/, '')
    .slice(0, 300)

type Change = Parameters<typeof formRequest>[1]
const [FORM, JSON_TYPE] = ['application/x-www-form-urlencoded', 'application/json']
const pushAs = (by: Change) =>
  pushRequest(formRequest(requests.pushedRequest(), by), createProvider())
const exchangeAs = (by: Change) =>
  exchangeBy(formRequest(requests.tokenRequest('x'), by), createProvider())
const upgradeAs = (by: Change) => upgradeBy({ ...jsonRequest({}, ''), ...by }, createProvider())

test.each([
  ['PAR-01', FORM, 'PAR-11', pushAs],
  ['TOK-01', FORM, 'TOK-08', exchangeAs],
  ['UPG-01', JSON_TYPE, 'UPG-05', upgradeAs],
] as const)('%s refuses a content type other than %s', async (rule, type, spoiled, call) => {
  const other = type === FORM ? JSON_TYPE : FORM
  for (const contentType of [
    undefined,
    '',
    other,
    'text/plain',
    `${type}x`,
    'Multipart/Form-Data; boundary=x',
  ]) {
    const { status, code, message, findings } = await refusalOf(() => call({ contentType }))
    const came = contentType
      ? `not "${contentType.split(';', 1)[0]?.toLowerCase()}"`
      : 'but it is missing'
    const problem = `Content-Type must be ${type}, ${came}`
    expect(status).toBe(415)
    expect(code).toBe('invalid_request')
    expect(message.replaceAll("'", '"')).toBe(`${rule}: ${problem}`)
    const { hint } = ruleRow(rule)
    expect(findings).toEqual([
      { rule, level: 'error', path: 'Content-Type', message: problem, hint },
    ])
  }
  const contentType = ` ${type.toUpperCase()} ; charset=utf-8`
  expect((await askFor(() => call({ contentType }))).findings.map((one) => one.rule)).not.toContain(
    rule,
  )
  const refusal = await refusalOf(() => call({ contentType, body: Buffer.from([0x61, 0xff]) }))
  const finding = { rule: spoiled, path: '', message: 'the body is not UTF-8' }
  expect(refusal).toMatchObject({ status: 400, code: 'invalid_request', findings: [finding] })
})

/**
 * Rules of media types, of the pages of E1 and E3 (`test/server/pages/embedding`,
 * `test/server/pages/appearance.test.ts`), and of several requests.
 */
const ELSEWHERE = ['PAR-01', 'TOK-01', 'UPG-01', 'USE-19', 'USE-20', 'USE-21', 'USE-22', 'USE-25']

test('Every rule has a request that breaks it', () => {
  const broken = new Set([...RULE_CASES.map(({ rule }) => rule), ...ELSEWHERE])
  expect(RULES.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([])
})
