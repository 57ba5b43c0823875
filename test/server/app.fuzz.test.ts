import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exchangeRaw } from '../support/raw-exchange.ts'
import {
  ageSignal,
  basic,
  claims,
  type Fields,
  pushedRequest,
  tokenRequest,
  useRequest,
} from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

/**
 * Odd requests to an endpoint of the service, and to one of the many pages: each run of the tests
 * sends others.
 */
const RUNS = { endpoint: 60, page: 25 }
const sandbox = await shareSandbox()

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const encode = (fields: Fields) => String(new URLSearchParams(fields))
const VALID = [useRequest(), pushedRequest(), tokenRequest('x')]

const FORM_NAMES = [
  ...[
    'chosen_language',
    'framed',
    'with_persona',
    'seconds',
    'can_create',
    'upgrade',
    'date_of_birth',
    'id_token',
  ],
  ...[
    'set',
    'advance',
    'freeze',
    'reset',
    'remove',
    'name',
    'flow',
    'times',
    'nonce',
    'token',
    'q',
    'after',
    'wait',
  ],
]

/** Parameter names that some endpoint reads, and names that mean something to careless code. */
const NAMES = [
  ...[
    ...VALID.flatMap(Object.keys),
    ...FORM_NAMES,
    'request_uri',
    'transaction',
    'persona',
    'outcome',
    'theme',
    'font',
  ],
  ...[
    'sandbox_persona',
    'sandbox_outcome',
    'sandbox_',
    '__proto__',
    'constructor',
    'toString',
    'a[b]',
    'a[]',
    '',
  ],
]

const VALUES = [
  ...VALID.flatMap(Object.values),
  ...[
    'true',
    'teen-16',
    'no-age-key',
    'access_denied',
    '',
    ' ',
    '\0',
    '\r\n',
    '💥',
    '\u202e',
    "'",
    '__proto__',
  ],
  ...[
    '[object Object]',
    '<script>',
    '"><',
    '../../etc/passwd',
    '%',
    '%00',
    '1e309',
    '-0',
    'null',
    '{}',
    '[]',
  ],
  ...[
    nested(5_000),
    'x'.repeat(20_000),
    `x${'-a'.repeat(15_000)}`,
    'a.'.repeat(15_000),
    '/'.repeat(15_000),
  ],
  ...[
    '{"age_thresholds":[1e400]}',
    '{"age_thresholds":[18],"__proto__":{"x":1}}',
    '{"age_thresholds":["\\ud800"]}',
  ],
]

/**
 * Bytes in the place of an encoded value: not UTF-8, half an escape, a surrogate, an overlong
 * slash.
 */
const BROKEN = ['%ff', '%', '%e', '%zz', '%ed%a0%80', '%c0%af', '%00', '+', '=', '&&&', '%25%32%35']

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...VALUES).map(encodeURIComponent) },
  { weight: 1, arbitrary: fc.constantFrom(...BROKEN) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 50 }).map(encodeURIComponent) },
)

/** A valid request with some pairs added or left out, or nothing but odd pairs. */
function parameters(requests: readonly Fields[], names: readonly string[]) {
  const pair = fc
    .tuple(fc.constantFrom(...names), value)
    .map(([name, text]) => `${encodeURIComponent(name)}=${text}`)
  const valid = fc.constantFrom('', ...requests.map(encode))
  return fc
    .tuple(valid, fc.array(pair, { maxLength: 6 }), fc.integer({ min: -1, max: 8 }))
    .map(([fields, pairs, dropped]) => [
      ...fields.split('&').filter((_, index) => index !== dropped),
      ...pairs,
    ])
    .map((pairs) => pairs.filter((text) => text !== '').join('&'))
}

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(null, [], {}, [[]], 1e308, -1, '', ['x']),
)
const MEMBERS = [
  'authorization_details',
  'claims',
  'persona',
  'signals',
  'now',
  'set',
  'times',
  'match',
]

/**
 * An age signal, a claims object and what else JSON bodies carry, with one member replaced by
 * something odd.
 */
const json = fc.oneof(
  fc
    .tuple(fc.constantFrom(...Object.keys(ageSignal()), 'extra', '__proto__'), odd)
    .map(([name, member]) => ({ authorization_details: [ageSignal({ [name]: member })] })),
  fc.tuple(fc.constantFrom(...MEMBERS), odd).map(([name, member]) => ({
    claims: JSON.parse(claims()),
    persona: 'teen-16',
    [name]: member,
  })),
  odd,
)

const BODIES = [
  ...[
    '',
    '{',
    '{"authorization_details":',
    '"',
    'null',
    '\xff\xfe',
    '{"a":"\xff"}',
    '\xef\xbb\xbf{}',
  ],
  ...[
    '{"\\ud800":"\\udfff"}',
    `{"__proto__":{"polluted":true}}`,
    `{"authorization_details":${nested(10_000)}}`,
  ],
  ...[
    '{"a":'.repeat(10_000),
    'x'.repeat(65_536),
    'x'.repeat(65_537),
    '&'.repeat(60_000),
    'a=1&'.repeat(16_000),
  ],
]

const HEADERS = Object.entries({
  Accept: ['application/json', 'text/html', '*/*;q=x', '\xff', 'a/b,'.repeat(5_000)],
  'Accept-Language': [`x${'-a'.repeat(30_000)}`, 'aa,'.repeat(20_000)],
  Authorization: [
    basic('ak_test_sandbox', 'sk_test_sandbox'),
    'Basic !!!',
    'Basic',
    `Bearer ${'y'.repeat(20_000)}`,
  ],
  'Content-Type': [
    'application/json',
    'multipart/form-data',
    ';;;',
    'application/json; charset=utf-7',
    '\xff',
  ],
  'Content-Encoding': ['gzip', 'identity', 'br, \xff'],
  Cookie: [
    'agekey_sandbox_persona=%ff',
    'agekey_sandbox_persona=nobody',
    ';;=;=;__proto__=x',
    '\xff=\xff',
  ],
  Host: ['[::1', 'localhost:99999', ''],
  Origin: ['null', 'https://evil.example'],
  'Sec-Fetch-Site': ['cross-site', 'same-origin'],
  'X-Forwarded-Host': ['evil.example', '"'],
  'X-Forwarded-Proto': ['javascript'],
  'X-Huge': ['z'.repeat(60_000), 'z'.repeat(120_000)],
  'X-Sandbox-Outcome': ['nothing'],
  'X-Sandbox-Persona': ['nobody', '\xff', 'teen-16'],
  Upgrade: ['h2c'],
}).flatMap(([name, values]) => values.map((text) => `${name}: ${text}`))

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'M-SEARCH',
  'get',
]
const nameOf = (header: string) => header.split(':', 1)[0]?.toLowerCase()

/**
 * Requests that no well-behaved client sends, one character per byte, most of them by the method of
 * the endpoint.
 */
function oddRequests(
  method: string,
  path: string,
  { form, cookie }: { form: Fields | undefined; cookie: string },
) {
  // An endpoint with a form gets it most of the time, in the type of a form, with its own names
  // sent twice or alone.
  const own = form && parameters([form], [...Object.keys(form), ...FORM_NAMES])
  const sent = fc.oneof(
    { weight: 1, arbitrary: parameters(VALID, NAMES) },
    ...(own ? [{ weight: 3, arbitrary: own }] : []),
  )
  const body = fc.oneof(
    { weight: 4, arbitrary: sent },
    {
      weight: 4,
      arbitrary: json.map((document) => Buffer.from(JSON.stringify(document)).toString('latin1')),
    },
    { weight: 2, arbitrary: fc.constantFrom(...BODIES) },
  )
  const header = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...HEADERS) },
    fc.constant(`Cookie: ${cookie}`),
  )
  const usual = [
    'Host: localhost',
    ...(form ? ['Content-Type: application/x-www-form-urlencoded'] : []),
  ]
  return fc
    .record({
      verb: fc.oneof({ weight: 8, arbitrary: fc.constant(method) }, fc.constantFrom(...METHODS)),
      query: fc.oneof({ weight: 3, arbitrary: sent.map((pairs) => `?${pairs}`) }, fc.constant('')),
      headers: fc.uniqueArray(header, { maxLength: 4 }),
      body,
      isCutShort: fc.integer({ min: 1, max: 20 }).map((n) => n === 20),
    })
    .map(({ verb, query, headers, body, isCutShort }) => {
      const others = usual.filter(
        (line) => !headers.some((given) => nameOf(given) === nameOf(line)),
      )
      const head = [`${verb} ${path}${query} HTTP/1.1`, 'Connection: close', ...others, ...headers]
      const length = `Content-Length: ${body.length + (isCutShort ? 10 : 0)}`
      return { text: [...head, length, '', body].join('\r\n'), isCutShort }
    })
}

const CONSOLE = [
  'flows',
  'flows/f1',
  'personas',
  'outcomes',
  'readings',
  'rules',
  'tenants',
  'expectations',
  'x',
]

/**
 * Calls of programs, which are told in JSON what is wrong, pages, and pages with a form of their
 * own that is valid.
 */
const ENDPOINTS: readonly (readonly [
  method: string,
  path: string,
  kind: 'call' | 'page' | Fields,
])[] = [
  ['POST', '/v1/oidc/create/par', 'call'],
  ['POST', '/v1/oidc/use/token', 'call'],
  ['POST', '/v1/svc/upgrade', 'call'],
  ['GET', '/v1/oidc/use/.well-known/openid-configuration', 'call'],
  ['GET', '/.well-known/jwks.json', 'call'],
  ['POST', '/t/fuzz/v1/oidc/create/par', 'call'],
  ['POST', '/_sandbox/evaluate', 'call'],
  ['POST', '/_sandbox/expectations', 'call'],
  ['PUT', '/_sandbox/personas/fuzz', 'call'],
  ['POST', '/_sandbox/clock', 'call'],
  ['GET', '/v1/oidc/use', 'page'],
  ['GET', '/v1/oidc/create', 'page'],
  ['POST', '/v1/oidc/use/choice', 'page'],
  ['GET', '/', 'page'],
  ['POST', '/v1/oidc/use/language', { language: 'de' }],
  ['POST', '/v1/oidc/create/clock', { advance: '91' }],
  ['GET', '/_sandbox/appearance.css', { primary_color: '#102030', font: 'Inter' }],
  ['GET', '/_sandbox/act-as/teen-16', {}],
  ['POST', '/_sandbox/act-as/teen-16', {}],
  ...CONSOLE.map(
    (page) => ['GET', `/_sandbox/console/${page}`, { q: 'teen', flow: 'use' }] as const,
  ),
  ['POST', '/_sandbox/console/personas', { persona: 'teen-16' }],
  ['POST', '/_sandbox/console/tenants', { name: 'fuzz' }],
  ['POST', '/_sandbox/console/force', { flow: 'use', persona: 'teen-16' }],
  ['POST', '/_sandbox/console/force', { set: '2026-01-01', freeze: 'true' }],
  ['POST', '/_sandbox/demo/use', { claims: claims(), response_mode: 'query', upgrade: 'true' }],
  ['POST', '/_sandbox/demo/create', { date_of_birth: '2000-02-29' }],
  ['GET', '/_sandbox/demo/callback', { state: 'state-1', error: 'access_denied' }],
  ['POST', '/_sandbox/demo/callback', { state: 'state-1', id_token: 'a.b.c' }],
  ['GET', '/_sandbox/demo/result', {}],
  ['POST', '/_sandbox/demo/upgrade', { date_of_birth: '2000-02-29' }],
]

test.each(ENDPOINTS)(
  '%s %s answers odd requests, none by a failure, and all under the banner',
  async (...endpoint) => {
    const [method, path, kind] = endpoint
    const page = await sandbox.request.get('/v1/oidc/use').query(useRequest())
    const transaction = /name="transaction" value="([^"]+)"/.exec(page.text)?.[1]
    const visit = await sandbox.request
      .post('/_sandbox/demo/use')
      .type('form')
      .send({ claims: claims() })
    const cookie = visit.get('Set-Cookie')?.[0]?.split(';')[0]
    if (!transaction || !cookie) throw new Error('there is no page, or no session of the demo')
    const form = typeof kind === 'string' ? undefined : { transaction, ...kind }
    const property = fc.asyncProperty(
      oddRequests(method, path, { cookie, form }),
      async ({ text, isCutShort }) => {
        const answer = await exchangeRaw(sandbox.baseUrl, text, {
          ending: isCutShort ? 'end' : 'wait',
          until: 'answered',
        })
        const { status, headers, body } = answer
        // Node itself answers what is no well-formed request.
        if ([400, 408, 431].includes(status) && body === '') return
        expect(status).toBeGreaterThanOrEqual(200)
        expect(status).toBeLessThan(500)
        expect(headers['x-agekey-sandbox']).toBe('testing-only')
        if (kind !== 'call' || status < 400) return
        const said = {
          error: expect.stringMatching(/^[a-z_]+$/),
          error_description: expect.stringMatching(/./),
        }
        expect(JSON.parse(body)).toMatchObject(said)
      },
    )
    await fc.assert(property, { numRuns: form ? RUNS.page : RUNS.endpoint })
    await sandbox.request.get('/_sandbox/health').expect(200)
  },
)
