import { beginCreate } from '../../../src/oidc/create.ts'
import type { Profile } from '../../../src/oidc/profile.ts'
import { pushRequest } from '../../../src/oidc/pushed-request.ts'
import { decodePairs } from '../../../src/oidc/request/parameters.ts'
import type { ErrorCode } from '../../../src/oidc/rules/error-codes.ts'
import type { Finding } from '../../../src/oidc/rules/finding.ts'
import type { RuleId } from '../../../src/oidc/rules/rules.ts'
import { exchangeCode } from '../../../src/oidc/token.ts'
import { upgradeAgeKey } from '../../../src/oidc/upgrade.ts'
import { type Beginning, beginUse } from '../../../src/oidc/use.ts'
import type { TestProvider } from '../../support/provider.ts'
import {
  ageSignal,
  basic,
  type Changes,
  claims,
  createRequest,
  type Fields,
  pushedRequest,
  REDIRECT_URI,
  tokenRequest,
  useRequest,
} from '../../support/requests.ts'
import { formRequest, jsonRequest, type Service } from '../../support/service.ts'

/** Fields that are changed in a valid request, or text that is sent behind it: `nonce=another`. */
type Sent = Changes | string

interface Details {
  /** Where, when the message does not begin with the place. */
  readonly path?: string
  /** The error code, when it is not that of the rule. */
  readonly error?: ErrorCode
  /** Rules that such a request cannot help but break too. */
  readonly beside?: readonly RuleId[]
  /** Nothing is redirected: the user sees a page. */
  readonly page?: true
  /** What the redirect has that others have not: another mode, no state. */
  readonly callback?: { readonly mode?: 'query'; readonly state?: undefined }
  readonly headers?: Readonly<Record<string, string>>
  /** The profile in which the request breaks the rule; both when left out. */
  readonly only?: Profile
}

/** A request that breaks a rule; a message that ends with an ellipsis is the beginning of one. */
type Row = readonly [rule: RuleId, sent: Sent, message: string, details?: Details]

/** What every endpoint answers that does not refuse by a page or a status. */
export type Answer = Beginning<unknown> | { readonly findings: readonly Finding[] }

/** A request that breaks one rule. In `message` and in what is sent, `svc` stands for the word of the profile. */
export interface RuleCase extends Details {
  readonly endpoint: string
  readonly rule: RuleId
  /** What the request has that breaks the rule. */
  readonly breaks: string
  /** The whole message, or its beginning and an ellipsis. */
  readonly message: string
  send(service: Service<TestProvider>): Answer | Promise<Answer>
}

const MISSING = { error: 'invalid_request' } as const
const STATELESS = { callback: { state: undefined } } as const
const PAGE = { page: true } as const
const MISSING_PAGE = { ...MISSING, ...PAGE }
const AUTHORIZATION = basic('ak_test_sandbox', 'sk_test_sandbox')

const SPEC = { only: 'spec' } as const
const EVIL = { redirect_uri: 'https://evil.example/' }

const REGISTERED = 'Registered: ak_test_sandbox, other.'
const UNKNOWN = `client_id "nobody" is not registered here. ${REGISTERED}`
const WRONG_SECRET = 'client_secret is wrong for client "ak_test_sandbox", which is registered:'
const ANOTHER_SECRET = `${WRONG_SECRET} 5 characters were received, which are another secret. ${REGISTERED}`
const BESIDE_HEADER = 'is in the form beside an Authorization header: a request authenticates by one of them'
const ADDRESSES = `is not registered for client ak_test_sandbox; registered: ${REDIRECT_URI}, ${REDIRECT_URI}?a=b`
const UNREGISTERED = `redirect_uri https://evil.example/ ${ADDRESSES}`
const USE_SCOPE = 'scope must be "openid" or "openid svc.upgrade"'
const OTHER_WORD =
  'agekey.upgrade is the upgrade scope of profile agekey, and this sandbox runs with profile spec: start it with --profile agekey'
const MODES = 'response_mode must be fragment, query or form_post'
const MALFORMED =
  'is not well-formed: it has bytes that are not UTF-8; percent-encode it as UTF-8, without NUL characters'
const WITH_NUL = 'is not well-formed: it has a NUL character; percent-encode it as UTF-8, without NUL characters'
const OF_CORE = 'is a standard parameter (OpenID Connect Core) that this endpoint does not use: it was ignored'
const OF_OAUTH = 'is a standard parameter (RFC 6749) that this endpoint does not use: it was ignored'
const OLDER = 'an older spelling of the upgrade scope, which is svc.upgrade'
const NOT_READ = 'urn:svc:request:*** is not supported here: it was not read'
const NOT_ISSUED = 'request_uri urn:svc:request:*** was not issued to this client'
const BEGINNING = 'request_uri must begin with urn:svc:request: (profile spec)'
const MANY_METHODS = 'claims.allowed_methods must have at most 100 entries, has 101'

const E1: readonly Row[] = [
  ['USE-01', { client_id: 'nobody' }, UNKNOWN, PAGE],
  ['USE-01', { client_id: undefined }, 'client_id is missing', MISSING_PAGE],
  ['USE-02', EVIL, UNREGISTERED, PAGE],
  [
    'USE-02',
    { redirect_uri: `${REDIRECT_URI}/` },
    `redirect_uri ${REDIRECT_URI}/ ${ADDRESSES} (differs from ${REDIRECT_URI} by the final slash)`,
    PAGE,
  ],
  ['USE-02', { redirect_uri: undefined }, 'redirect_uri is missing', MISSING_PAGE],
  [
    'USE-02',
    { redirect_uri: undefined, redirectUri: 'x' },
    'redirect_uri is missing; redirectUri was received: did you mean redirect_uri?',
    { ...MISSING_PAGE, beside: ['USE-11'] },
  ],
  ['USE-03', { scope: undefined }, 'scope is missing', MISSING],
  [
    'USE-03',
    { scope: undefined, response_type: 'code id_token' },
    'scope is missing',
    { ...MISSING, beside: ['USE-04'] },
  ],
  ['USE-03', { scope: '' }, 'scope is missing: it was received without a value', MISSING],
  ['USE-03', { scope: ' ' }, `${USE_SCOPE}, is " "`],
  ['USE-03', { scope: 'openid email' }, `${USE_SCOPE}, is "openid email"`],
  ['USE-03', { scope: 'svc.upgrade' }, `${USE_SCOPE}, is "svc.upgrade". Did you mean "openid svc.upgrade"?`],
  ['USE-03', { scope: 'OpenID' }, `${USE_SCOPE}, is "OpenID". Did you mean "openid"?`],
  [
    'USE-03',
    { scope: 'openid,svc.upgrade' },
    `${USE_SCOPE}, is "openid,svc.upgrade". Did you mean "openid svc.upgrade"?`,
  ],
  ['USE-03', { scope: 'agekey-upgrade' }, `${USE_SCOPE}, is "agekey-upgrade"`, SPEC],
  ['USE-03', { scope: 'openid agekey.upgrade' }, `${USE_SCOPE}, is "openid agekey.upgrade". ${OTHER_WORD}`, SPEC],
  ['USE-04', { response_type: undefined }, 'response_type is missing', MISSING],
  ['USE-04', { response_type: 'code' }, 'response_type must be id_token, is "code"', { callback: { mode: 'query' } }],
  ['USE-04', { response_type: 'token', scope: 'openid svc.upgrade' }, 'response_type must be id_token, is "token"'],
  ['USE-04', { response_type: 'id_token token' }, 'response_type must be id_token, is "id_token token"'],
  ['USE-04', { response_type: 'code id_token' }, 'response_type must be id_token, is "code id_token"'],
  [
    'USE-05',
    { response_type: 'id_token code', scope: 'openid svc.upgrade' },
    'response_type must be id_token, is "id_token code"',
  ],
  ['USE-06', { response_mode: 'web_message' }, `${MODES}, is "web_message"`],
  ['USE-06', { response_mode: 'QUERY' }, `${MODES}, is "QUERY". Did you mean "query"?`],
  ['USE-06', { response_mode: 'form-post' }, `${MODES}, is "form-post". Did you mean "form_post"?`],
  ['USE-07', { state: undefined }, 'state is missing', { ...MISSING, ...STATELESS }],
  ['USE-07', { state: '' }, 'state is missing: it was received without a value', { ...MISSING, ...STATELESS }],
  ['USE-08', { nonce: undefined }, 'nonce is missing', MISSING],
  ['USE-08', { nonce: '' }, 'nonce is missing: it was received without a value', MISSING],
  ['USE-09', { claims: undefined }, 'claims is missing', MISSING],
  ['USE-09', { claims: '' }, 'claims is missing: it was received without a value', MISSING],
  ['USE-09', { claims: 'age>18' }, 'claims must be JSON, is "age>18": Unexpected token…'],
  ['USE-09', { claims: '{age_thresholds:[18]}' }, 'claims must be JSON, is "{age_thresholds:[18]}": Expected…'],
  ['USE-09', { claims: '%7B%7D' }, 'claims must be JSON, is "%7B%7D": Unexpected token…'],
  ['USE-10', 'nonce=another', 'nonce is sent more than once: "nonce-1" and "another"'],
  ['USE-10', 'nonce=b&nonce=c', 'nonce is sent more than once: "nonce-1" and "b"'],
  ['USE-10', 'nonce=', 'nonce is sent more than once: "nonce-1" and no value'],
  ['USE-10', 'state=another', 'state is sent more than once: "state-1" and "another"', STATELESS],
  ['USE-10', 'x=1&x=1', 'x is sent more than once', { beside: ['USE-11'] }],
  ['USE-10', 'request_uri=a&request_uri=b', 'request_uri is sent more than once'],
  ['USE-10', 'request=a&request=b', 'request is sent more than once'],
  ['USE-10', 'nonce=%ff', `nonce ${MALFORMED}`],
  ['USE-10', 'nonce=%', `nonce ${MALFORMED}`],
  ['USE-10', 'nonce=%ed%a0%80', `nonce ${MALFORMED}`],
  ['USE-10', 'nonce=a%00b', `nonce ${WITH_NUL}`],
  ['USE-10', '%zz=1', `%zz ${MALFORMED}`],
  ['USE-10', '%ff', `%ff ${MALFORMED}`],
  ['USE-10', 'x%00y=1', `"x\\u0000y" ${WITH_NUL}`, { path: 'x\0y' }],
  ['USE-11', { prompt: 'login' }, `prompt ${OF_CORE}`],
  [
    'USE-11',
    { client_secret: 'sk_test_sandbox' },
    'client_secret is for E2 and E4 and must never reach a browser: it was ignored',
  ],
  ['USE-11', { x: 'y'.repeat(5_000) }, 'x is not known and was ignored. Known: scope, response_type, response_mode…'],
  ['USE-12', { can_create: 'TRUE' }, 'can_create must be exactly true, is "TRUE"; only the use choice is offered'],
  ['USE-12', { can_create: '1' }, 'can_create must be exactly true, is "1"; only the use choice is offered'],
  ['USE-13', { theme: 'blue' }, 'theme "blue" is not light, dark or system'],
  ['USE-14', { language: 'e!n' }, 'language "e!n" is not an IETF BCP 47 tag such as en or pt-BR'],
  ['USE-15', { learn_more: '0' }, 'learn_more "0" is not true or false'],
  ['USE-16', { primary_color: '#ab' }, 'primary_color "#ab" is not #rgb, #rrggbb or a CSS colour name'],
  ['USE-16', { secondary_color: 'url(x)' }, 'secondary_color "url(x)" is not #rgb, #rrggbb or a CSS colour name'],
  ['USE-16', { text_color: 'constructor' }, 'text_color "constructor" is not #rgb, #rrggbb or a CSS colour name'],
  ['USE-16', { background_color: '#12345g' }, 'background_color "#12345g" is not #rgb, #rrggbb or a CSS colour name'],
  ['USE-16', { text_align: 'justify' }, 'text_align "justify" is not left, center or right'],
  ['USE-16', { button_radius: '33' }, 'button_radius "33" is not a whole number from 0 to 32'],
  ['USE-16', { button_radius: '-1' }, 'button_radius "-1" is not a whole number from 0 to 32'],
  ['USE-16', { button_radius: '1.5' }, 'button_radius "1.5" is not a whole number from 0 to 32'],
  ['USE-16', { button_radius: '032' }, 'button_radius "032" is not a whole number from 0 to 32'],
  ['USE-16', { gradient: 'yes' }, 'gradient "yes" is not true or false'],
  ['USE-16', { font: 'Arial;}' }, 'font "Arial;}" is not 1 to 60 letters, digits and spaces'],
  ['USE-16', { font: '  ' }, 'font "  " is not 1 to 60 letters, digits and spaces'],
  ['USE-16', { font: 'x'.repeat(61) }, `font "${'x'.repeat(60)}…" is not 1 to 60 letters, digits and spaces`],
  ['USE-17', { scope: 'openid agekey_upgrade' }, `scope "openid agekey_upgrade" has agekey_upgrade: ${OLDER}`],
  [
    'USE-17',
    { scope: 'openid agekey-upgrade agekey_upgrade' },
    `scope "openid agekey-upgrade agekey_upgrade" has agekey_upgrade and agekey-upgrade: ${OLDER}`,
  ],
  ['USE-18', { request: 'e30.e30.' }, 'request e30.e30. is not supported here: it was not read'],
  ['USE-18', { request: 'e'.repeat(5_000) }, `request "${'e'.repeat(60)}…" is not supported here: it was not read`],
  ['USE-18', { request_uri: 'urn:svc:request:x' }, `request_uri ${NOT_READ}`, { error: 'request_uri_not_supported' }],
  ['CLM-20', { claims: claims({ allowed_methods: Array(101).fill('id_doc_scan') }) }, MANY_METHODS],
  ['USE-23', { nonce: 'n'.repeat(4_097) }, 'nonce is 4097 bytes long; at most 4096 are taken'],
  ['USE-23', { font: 'ü'.repeat(2_049) }, 'font is 4098 bytes long; at most 4096 are taken'],
  ['USE-23', { state: 's'.repeat(60_000) }, 'state is 60000 bytes long; at most 4096 are taken', STATELESS],
]

const E2: readonly Row[] = [
  ['PAR-02', { client_secret: 'wrong' }, ANOTHER_SECRET],
  ['PAR-02', { client_secret: 'sk_other' }, `${WRONG_SECRET} it is that of client "other". ${REGISTERED}`],
  ['PAR-02', { client_secret: undefined }, 'client_secret is missing'],
  ['PAR-02', { client_secret: '' }, 'client_secret is missing: it was received without a value'],
  ['PAR-02', { client_id: undefined }, 'client_id is missing'],
  ['PAR-02', { client_id: 'nobody' }, UNKNOWN],
  ['PAR-03', { scope: undefined }, 'scope is missing', MISSING],
  ['PAR-03', { scope: ' ' }, 'scope must be openid, is " "'],
  ['PAR-03', { scope: 'openid profile' }, 'scope must be openid, is "openid profile"'],
  [
    'PAR-03',
    { scope: 'openid agekey.upgrade' },
    `scope must be openid, is "openid agekey.upgrade". ${OTHER_WORD}`,
    SPEC,
  ],
  ['PAR-04', { scope: 'svc.upgrade  openid openid' }, 'scope must be openid, is "svc.upgrade  openid openid"'],
  ['PAR-04', { scope: 'openid agekey_upgrade' }, 'scope must be openid, is "openid agekey_upgrade"'],
  ['PAR-05', { response_type: undefined }, 'response_type is missing', MISSING],
  ['PAR-05', { response_type: 'id_token' }, 'response_type must be none, is "id_token"'],
  ['PAR-06', { type: 'payment' }, 'type must be age_verification, is "payment"'],
  [
    'PAR-06',
    { type: 'ageVerification' },
    'type must be age_verification, is "ageVerification". Did you mean "age_verification"?',
  ],
  ['PAR-07', { type: undefined }, 'type is missing', MISSING],
  ['PAR-08', EVIL, UNREGISTERED],
  ['PAR-08', { redirect_uri: undefined }, 'redirect_uri is missing', MISSING],
  ['PAR-09', { state: undefined }, 'state is missing', MISSING],
  ['PAR-09', { state: '' }, 'state is missing: it was received without a value', MISSING],
  ['PAR-10', { authorization_details: undefined }, 'authorization_details is missing', MISSING],
  ['PAR-10', { authorization_details: 'none' }, 'authorization_details must be JSON, is "none": Unexpected token…'],
  ['PAR-10', { authorization_details: '[{]' }, 'authorization_details must be JSON, is "[{]": Expected…'],
  ['PAR-11', 'state=another', 'state is sent more than once: "state-1" and "another"'],
  ['PAR-11', 'client_id=other', 'client_id is sent more than once: "ak_test_sandbox" and "other"'],
  ['PAR-11', 'client_secret=x', 'client_secret is sent more than once'],
  ['PAR-11', 'x=1&x=2', 'x is sent more than once', { beside: ['PAR-12'] }],
  ['PAR-11', 'state=%zz', `state ${MALFORMED}`],
  ['PAR-11', 'x%=1', `x% ${MALFORMED}`],
  ['PAR-12', { login_hint: 'x' }, `login_hint ${OF_CORE}`],
  ['PAR-14', { request: 'e30.e30.' }, 'request e30.e30. is not supported here: it was not read'],
  ['PAR-14', { request_uri: 'urn:svc:request:x' }, `request_uri ${NOT_READ}`, MISSING],
  ['PAR-15', { state: 's'.repeat(5_000) }, 'state is 5000 bytes long; at most 4096 are taken'],
]

const E3: readonly Row[] = [
  ['CRE-01', { client_id: 'nobody' }, UNKNOWN, PAGE],
  ['CRE-01', { client_id: undefined }, 'client_id is missing', MISSING_PAGE],
  ['CRE-02', EVIL, UNREGISTERED, PAGE],
  [
    'CRE-02',
    { request_uri: undefined, redirect_uri: undefined },
    'redirect_uri is missing',
    { ...MISSING_PAGE, beside: ['CRE-07'] },
  ],
  [
    'CRE-03',
    { redirect_uri: `${REDIRECT_URI}?a=b` },
    `redirect_uri ${REDIRECT_URI}?a=b is not the one that was pushed: ${REDIRECT_URI} (differs by the query: ?a=b is not none)`,
    PAGE,
  ],
  ['CRE-04', { scope: 'profile' }, 'scope must be openid, is "profile"'],
  ['CRE-05', { scope: 'openid svc.upgrade' }, 'scope must be openid, is "openid svc.upgrade"'],
  ['CRE-05', { scope: 'openid agekey-upgrade' }, 'scope must be openid, is "openid agekey-upgrade"'],
  ['CRE-06', { response_type: 'code' }, 'response_type must be none, is "code"'],
  ['CRE-07', { request_uri: undefined }, 'request_uri is missing', { ...MISSING, ...STATELESS }],
  ['CRE-08', { request_uri: 'urn:svc:request:guess' }, NOT_ISSUED, STATELESS],
  ['CRE-08', { request_uri: 'https://rp.example/request' }, `${BEGINNING} and does not`, STATELESS],
  ['CRE-08', { request_uri: 'urn:other:request:x' }, `${BEGINNING}, begins with urn:other:request:`, STATELESS],
  [
    'CRE-08',
    { request_uri: 'urn:agekey:request:x' },
    `${BEGINNING}, begins with urn:agekey:request:, which is that of profile agekey`,
    { ...STATELESS, only: 'spec' },
  ],
  ['CRE-08', { request_uri: 'xurn:other:request:x' }, `${BEGINNING} and does not`, STATELESS],
  ['CRE-08', { client_id: 'other' }, NOT_ISSUED, STATELESS],
  ['CRE-11', 'scope=openid', 'scope is sent more than once: "openid" and "openid"'],
  ['CRE-11', 'request_uri=x', 'request_uri is sent more than once', STATELESS],
  ['CRE-11', 'redirect_uri=x', `redirect_uri is sent more than once: "${REDIRECT_URI}" and "x"`, PAGE],
  ['CRE-11', 'scope=%ff', `scope ${MALFORMED}`],
  ['CRE-12', { state: 'x' }, `state ${OF_OAUTH}`],
  ['CRE-13', { scope: undefined }, 'scope is missing beside request_uri'],
  ['CRE-13', { scope: '' }, 'scope is missing beside request_uri'],
  ['CRE-13', { response_type: undefined }, 'response_type is missing beside request_uri'],
  ['CRE-13', { redirect_uri: undefined }, 'redirect_uri is missing beside request_uri'],
  [
    'CRE-13',
    { scope: undefined, response_type: undefined, redirect_uri: undefined },
    'scope, response_type, redirect_uri are missing beside request_uri',
    { path: 'scope' },
  ],
  ['CRE-14', { request: 'e30.e30.' }, 'request e30.e30. is not supported here: it was not read'],
  ['CRE-15', { theme: 't'.repeat(5_000) }, 'theme is 5000 bytes long; at most 4096 are taken'],
  [
    'CRE-15',
    { redirect_uri: `http://localhost:3000/${'c'.repeat(5_000)}` },
    'redirect_uri is 5022 bytes long; at most 4096 are taken',
    PAGE,
  ],
  ['CRE-15', { request_uri: 'r'.repeat(5_000) }, 'request_uri is 5000 bytes long; at most 4096 are taken', STATELESS],
  ['USE-13', { theme: 'blue' }, 'theme "blue" is not light, dark or system'],
  ['USE-14', { language: 'e!n' }, 'language "e!n" is not an IETF BCP 47 tag such as en or pt-BR'],
]

const E4: readonly Row[] = [
  ['TOK-03', { grant_type: undefined }, 'grant_type is missing', MISSING],
  ['TOK-03', { grant_type: 'refresh_token' }, 'grant_type must be authorization_code, is "refresh_token"'],
  [
    'TOK-03',
    { grant_type: 'authorization-code' },
    'grant_type must be authorization_code, is "authorization-code". Did you mean "authorization_code"?',
  ],
  ['TOK-04', { code: undefined }, 'code is missing', MISSING],
  ['TOK-04', { code: '' }, 'code is missing: it was received without a value', MISSING],
  ['TOK-05', { code: 'guess' }, 'the code was not issued to client ak_test_sandbox', { path: 'code' }],
  ['TOK-05', { code: 'x'.repeat(5_000) }, 'the code was not issued to client ak_test_sandbox', { path: 'code' }],
  ['TOK-05', { code: '__proto__' }, 'the code was not issued to client ak_test_sandbox', { path: 'code' }],
  [
    'TOK-05',
    { code: 'sk_test_sandbox' },
    'the code was not issued to client ak_test_sandbox: it is a client_secret',
    { path: 'code' },
  ],
  ['TOK-08', 'grant_type=x', 'grant_type is sent more than once: "authorization_code" and "x"'],
  ['TOK-08', 'code=x', 'code is sent more than once'],
  ['TOK-08', 'code=a%00b', `code ${WITH_NUL}`],
  ['TOK-09', { redirect_uri: REDIRECT_URI }, `redirect_uri ${OF_OAUTH}`],
  ['TOK-10', { client_secret: 'sk_test_sandbox' }, `client_secret ${BESIDE_HEADER}`],
  [
    'TOK-10',
    { client_id: 'other' },
    'client_id in the form is "other"; the Authorization header authenticates ak_test_sandbox',
  ],
]

const BASIC_CHALLENGE = { headers: { 'WWW-Authenticate': 'Basic realm="agekey-sandbox", charset="UTF-8"' } }

/** E4 with other credentials. */
const CREDENTIALS: readonly (readonly [authorization: string | undefined, message: string, form?: Changes])[] = [
  [undefined, 'the Authorization header is missing'],
  [
    undefined,
    'the Authorization header is missing; client_secret in the form does not count here',
    { client_id: 'ak_test_sandbox', client_secret: 'sk_test_sandbox' },
  ],
  ['Bearer x', 'Authorization is Bearer; it must be Basic'],
  [basic('ak_test_sandbox', 'wrong'), ANOTHER_SECRET],
  [basic('nobody', 'sk_test_sandbox'), UNKNOWN],
]

const BEARER_CHALLENGE = { headers: { 'WWW-Authenticate': 'Bearer realm="agekey-sandbox", error="invalid_token"' } }
const NO_TOKEN = 'Authorization is Bearer without a token, or with blanks, quotes or other characters that no token has'

/** E5 with other credentials. */
const TOKENS: readonly (readonly [rule: RuleId, authorization: string | undefined, message: string])[] = [
  ['UPG-02', undefined, 'the Authorization header is missing'],
  ['UPG-02', AUTHORIZATION, 'Authorization is Basic; it must be Bearer'],
  ['UPG-02', 'sk_test_sandbox', 'Authorization names no scheme that is known; it must be Bearer'],
  ['UPG-02', 'Bearer', NO_TOKEN],
  ['UPG-02', 'Bearer a b', NO_TOKEN],
  ['UPG-02', 'Bearer "a"', NO_TOKEN],
  ['UPG-03', 'Bearer unknown', 'the access token was not issued here'],
  ['UPG-03', 'Bearer constructor', 'the access token was not issued here'],
  [
    'UPG-03',
    'Bearer undefined',
    'the access token was not issued here: it is the text "undefined" of a variable without a value',
  ],
  ['UPG-03', 'Bearer sk_test_sandbox', 'the access token was not issued here: it is a client_secret'],
]

const DETAILS = { authorization_details: [ageSignal()] }

/** E5 with another body. */
const BODIES: readonly (readonly [rule: RuleId, body: string, message: string, details: Details])[] = [
  ['UPG-05', '', 'the body must be JSON: Unexpected end of JSON input (it is empty)', { path: '' }],
  ['UPG-05', '{', 'the body must be JSON: Expected property name…', { path: '' }],
  ['UPG-05', '[]', 'the body must be a JSON object with authorization_details, is an array', { path: '' }],
  ['UPG-05', 'null', 'the body must be a JSON object with authorization_details, is null', { path: '' }],
  ['UPG-05', '"text"', 'the body must be a JSON object with authorization_details, is "text"', { path: '' }],
  ['UPG-05', '{}', 'authorization_details is missing', {}],
  [
    'UPG-05',
    '{"details":[]}',
    'authorization_details is missing; details was received: did you mean authorization_details?',
    { beside: ['UPG-07'] },
  ],
  ['UPG-05', '{"__proto__":{"authorization_details":[]}}', 'authorization_details is missing', { beside: ['UPG-07'] }],
  [
    'UPG-06',
    JSON.stringify({ authorization_details: JSON.stringify([ageSignal()]) }),
    'authorization_details must be a JSON array, is JSON inside a string: it was encoded twice',
    {},
  ],
  [
    'UPG-06',
    '{"authorization_details":"x"}',
    'authorization_details must be a JSON array, is "x"',
    { ...SPEC, beside: ['SIG-01'] },
  ],
  [
    'UPG-07',
    JSON.stringify({ ...DETAILS, note: 'x' }),
    'note is not known and was ignored. Known: authorization_details.',
    { path: 'note' },
  ],
  ['SIG-01', '{"authorization_details":null}', 'authorization_details must be an array of age signals, is null', {}],
  [
    'SIG-01',
    '{"authorization_details":{}}',
    'authorization_details must be an array of age signals, is an object: put it into an array',
    {},
  ],
  [
    'SIG-01',
    '{"authorization_details":[null]}',
    'authorization_details[0] must be an object: one age signal, is null',
    { path: 'authorization_details[0]' },
  ],
  ['SIG-02', '{"authorization_details":[]}', 'authorization_details must hold 1 to 10 age signals, holds 0', {}],
]

/** Requests that no change to the fields of a valid one can make. */
const OTHERS: readonly RuleCase[] = [
  {
    endpoint: 'E2',
    rule: 'PAR-02',
    breaks: 'JSON that is called a form',
    message: 'client_id is missing: JSON was received instead of a form',
    error: 'invalid_client',
    beside: ['PAR-12', 'PAR-03', 'PAR-05', 'PAR-07', 'PAR-08', 'PAR-09', 'PAR-10'],
    send: ({ provider }) => pushRequest(formRequest(JSON.stringify(pushedRequest())), provider),
  },
  {
    endpoint: 'E2',
    rule: 'PAR-02',
    breaks: 'the credentials in an Authorization header',
    message: 'client_id is missing; the Authorization header does not count here',
    send: ({ provider }) => {
      const form = pushedRequest({ client_id: undefined, client_secret: undefined })
      return pushRequest(formRequest(form, { authorization: AUTHORIZATION }), provider)
    },
  },
  ...[AUTHORIZATION, basic('ak_test_sandbox', 'wrong'), 'Bearer x'].map(
    (authorization): RuleCase => ({
      endpoint: 'E2',
      rule: 'PAR-13',
      breaks: `the header ${authorization} beside client_secret`,
      message: 'an Authorization header is sent beside client_secret: a request authenticates by one of them',
      path: 'Authorization',
      send: ({ provider }) => pushRequest(formRequest(pushedRequest(), { authorization }), provider),
    }),
  ),
  ...[[90, '0 seconds'] as const, [91, '1 second'] as const, [121, '31 seconds'] as const].map(
    ([seconds, ago]): RuleCase => ({
      endpoint: 'E3',
      rule: 'CRE-09',
      breaks: `a request_uri of ${seconds} seconds ago`,
      message: `request_uri expired ${ago} ago by the sandbox clock; it lives 90 seconds`,
      async send(service) {
        const requestUri = await service.obtainRequestUri()
        service.provider.clock.advance(seconds)
        return beginCreate(Object.entries(createRequest(requestUri)), service.provider)
      },
    }),
  ),
  {
    endpoint: 'E3',
    rule: 'CRE-10',
    breaks: 'a request_uri that served a decision',
    message: 'request_uri has already been used: it serves one decision',
    async send(service) {
      const requestUri = await service.obtainRequestUri()
      await service.create(requestUri)
      return beginCreate(Object.entries(createRequest(requestUri)), service.provider)
    },
  },
  {
    endpoint: 'E4',
    rule: 'TOK-06',
    breaks: 'a code of 601 seconds ago',
    path: 'code',
    message: 'the code expired 1 second ago by the sandbox clock; it lives 600 seconds',
    async send(service) {
      const code = await service.obtainCode()
      service.provider.clock.advance(601)
      return service.exchange(code)
    },
  },
  {
    endpoint: 'E4',
    rule: 'TOK-07',
    breaks: 'a code that was exchanged',
    path: 'code',
    message: 'the code has already been exchanged; the access token that came of it has been ended',
    async send(service) {
      const code = await service.obtainCode()
      await service.exchange(code)
      return service.exchange(code)
    },
  },
  {
    endpoint: 'E4',
    rule: 'TOK-10',
    breaks: 'a client_secret beside a header that is wrong too',
    message: `client_secret ${BESIDE_HEADER}`,
    path: 'client_secret',
    send: ({ provider }) =>
      exchangeCode(formRequest(tokenRequest('x', { client_secret: 'x' }), { authorization: 'Bearer x' }), provider),
  },
  {
    endpoint: 'E5',
    rule: 'UPG-03',
    breaks: 'an access token of 10802 seconds ago',
    path: 'Authorization',
    message: 'the access token expired 2 seconds ago by the sandbox clock; it lives 10800 seconds',
    ...BEARER_CHALLENGE,
    async send(service) {
      const token = await service.obtainToken()
      service.provider.clock.advance(10_802)
      return service.upgrade(token)
    },
  },
  {
    endpoint: 'E5',
    rule: 'UPG-04',
    breaks: 'the access token of an age key that was replaced',
    message: 'the age key that the access token names no longer exists',
    path: 'Authorization',
    ...BEARER_CHALLENGE,
    async send(service) {
      const token = await service.obtainToken()
      await service.create(await service.obtainRequestUri(), {}, { kind: 'created', holder: 'child' })
      return service.upgrade(token)
    },
  },
  {
    endpoint: 'E5',
    rule: 'UPG-08',
    breaks: 'the access token of a code that was exchanged again',
    message: 'the access token was ended, because its code was exchanged again',
    path: 'Authorization',
    ...BEARER_CHALLENGE,
    async send(service) {
      const code = await service.obtainCode()
      const { access_token } = (await service.exchange(code)).response
      await service.exchange(code).catch(() => undefined)
      return service.upgrade(access_token)
    },
  },
]

/** The requests to E1 to E5, at least one for each of their rules. */
export const RULE_CASES: readonly RuleCase[] = [
  ...E1.map((row) =>
    caseOf('E1', row, ({ provider }, sent) => beginUse(decodePairs(encode(useRequest, sent)), provider)),
  ),
  ...E2.map((row) =>
    caseOf('E2', row, ({ provider }, sent) => pushRequest(formRequest(encode(pushedRequest, sent)), provider)),
  ),
  ...E3.map((row) =>
    caseOf('E3', row, async (service, sent) => {
      const requestUri = await service.obtainRequestUri()
      const query = encode((changes) => createRequest(requestUri, changes), sent)
      return beginCreate(decodePairs(query), service.provider)
    }),
  ),
  ...E4.map((row) =>
    caseOf('E4', row, async (service, sent) => {
      const code = await service.obtainCode()
      const form = encode((changes) => tokenRequest(code, changes), sent)
      return exchangeCode(formRequest(form, { authorization: AUTHORIZATION }), service.provider)
    }),
  ),
  ...CREDENTIALS.map(
    ([authorization, message, form]): RuleCase => ({
      endpoint: 'E4',
      rule: 'TOK-02',
      breaks: `Authorization ${authorization}${form ? ' and credentials' : ''}`,
      message,
      path: 'Authorization',
      ...BASIC_CHALLENGE,
      send: ({ provider }) => exchangeCode(formRequest(tokenRequest('x', form), { authorization }), provider),
    }),
  ),
  ...TOKENS.map(
    ([rule, authorization, message]): RuleCase => ({
      endpoint: 'E5',
      rule,
      breaks: `Authorization ${authorization}`,
      message,
      path: 'Authorization',
      headers: authorization ? BEARER_CHALLENGE.headers : { 'WWW-Authenticate': 'Bearer realm="agekey-sandbox"' },
      send: ({ provider }) => upgradeAgeKey(jsonRequest(DETAILS, authorization), provider),
    }),
  ),
  ...BODIES.map(
    ([rule, body, message, details]): RuleCase => ({
      endpoint: 'E5',
      rule,
      breaks: `the body ${body.slice(0, 50)}`,
      message,
      ...details,
      send: async (service) =>
        upgradeAgeKey(jsonRequest(body, `Bearer ${await service.obtainToken()}`), service.provider),
    }),
  ),
  ...OTHERS,
]

function caseOf(
  endpoint: string,
  [rule, sent, message, details]: Row,
  send: (service: Service<TestProvider>, sent: Sent) => Answer | Promise<Answer>,
): RuleCase {
  const breaks = (typeof sent === 'string' ? sent : JSON.stringify({ ...sent }, (_, value) => value ?? null)).slice(
    0,
    80,
  )
  const inBrand = (brand: string) =>
    typeof sent === 'string'
      ? sent
      : Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, value?.replaceAll('svc', brand)]))
  return {
    endpoint,
    rule,
    message,
    breaks,
    ...details,
    send: (service) => send(service, inBrand(service.provider.brand)),
  }
}

const encode = (valid: (changes?: Changes) => Fields, sent: Sent) =>
  typeof sent === 'string' ? `${new URLSearchParams(valid())}&${sent}` : String(new URLSearchParams(valid(sent)))
