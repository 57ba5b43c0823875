import fc from 'fast-check'
import { ageSignal, basic, claims, pushedRequest, tokenRequest, useRequest } from '../support/requests.ts'

/** A request as text, one character per byte; a body that is cut short must be sent with `ending: 'end'`. */
export interface OddRequest {
  readonly text: string
  readonly isCutShort: boolean
}

const bytesOf = (text: string) => Buffer.from(text, 'utf8').toString('latin1')
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

/** Fields of the forms of pages. */
const FORM_NAMES = [
  ...['chosen_language', 'framed', 'with_persona', 'seconds', 'can_create', 'upgrade', 'date_of_birth', 'id_token'],
  ...['set', 'advance', 'freeze', 'reset', 'remove', 'name', 'flow', 'times', 'nonce', 'token', 'q', 'after', 'wait'],
]

/** Parameter names that some endpoint reads, and names that mean something to careless code. */
const NAMES = [
  ...new URLSearchParams(useRequest()).keys(),
  ...new URLSearchParams(pushedRequest()).keys(),
  ...['request_uri', 'code', 'grant_type', 'transaction', 'persona', 'outcome', 'language', 'theme', 'font'],
  ...FORM_NAMES,
  ...['sandbox_persona', 'sandbox_outcome', 'sandbox_', '__proto__', 'constructor', 'toString', 'a[b]', 'a[]', ''],
]

const VALUES = [
  ...new URLSearchParams(useRequest()).values(),
  ...new URLSearchParams(pushedRequest()).values(),
  ...[
    'authorization_code',
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
  ],
  ...[
    '__proto__',
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
  ...['{"age_thresholds":[1e400]}', '{"age_thresholds":[18],"__proto__":{"x":1}}', '{"age_thresholds":["\\ud800"]}'],
  nested(5_000),
  'x'.repeat(20_000),
  `x${'-a'.repeat(15_000)}`,
  'a.'.repeat(15_000),
  '/'.repeat(15_000),
]

/** Bytes in the place of an encoded value: not UTF-8, half an escape, a surrogate, an overlong slash. */
const BROKEN = ['%ff', '%', '%e', '%zz', '%ed%a0%80', '%c0%af', '%00', '+', '=', '&&&', '%25%32%35']

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...VALUES).map(encodeURIComponent) },
  { weight: 1, arbitrary: fc.constantFrom(...BROKEN) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'grapheme', maxLength: 50 }).map((text) => encodeURIComponent(text)),
  },
)
const pairOf = (names: readonly string[]) =>
  fc.tuple(fc.constantFrom(...names), value).map(([name, text]) => `${encodeURIComponent(name)}=${text}`)

const REQUESTS = [useRequest(), pushedRequest(), tokenRequest('x')].map((fields) => String(new URLSearchParams(fields)))

/** A valid request with some pairs added or left out, or nothing but odd pairs. */
const parametersOf = (requests: readonly string[], names: readonly string[]) =>
  fc
    .tuple(fc.constantFrom('', ...requests), fc.array(pairOf(names), { maxLength: 6 }), fc.integer({ min: -1, max: 8 }))
    .map(([valid, pairs, dropped]) =>
      [...valid.split('&').filter((_pair, index) => index !== dropped), ...pairs]
        .filter((text) => text !== '')
        .join('&'),
    )

const odd = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom<unknown>(null, [], {}, [[]], 1e308, -1, '', ['x']))

/** An age signal, a claims object and what else JSON bodies carry, with one member replaced by something odd. */
const json = fc.oneof(
  fc
    .tuple(fc.constantFrom(...Object.keys(ageSignal()), 'extra', '__proto__'), odd)
    .map(([name, member]) => ({ authorization_details: [ageSignal({ [name]: member })] })),
  fc
    .tuple(
      fc.constantFrom('authorization_details', 'claims', 'persona', 'signals', 'now', 'set', 'times', 'match'),
      odd,
    )
    .map(([name, member]) => ({ claims: JSON.parse(claims()), persona: 'teen-16', [name]: member })),
  odd,
)

const bodyOf = (parameters: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 4, arbitrary: parameters },
    { weight: 4, arbitrary: json.map((document) => bytesOf(JSON.stringify(document))) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        ...[
          '',
          '{',
          '{"authorization_details":',
          '"',
          'null',
          '\xff\xfe',
          '{"a":"\xff"}',
          '\xef\xbb\xbf{}',
          '{"\\ud800":"\\udfff"}',
        ],
        ...[
          `{"__proto__":{"polluted":true}}`,
          nested(10_000),
          `{"authorization_details":${nested(10_000)}}`,
          '{"a":'.repeat(10_000),
        ],
        ...[
          'x'.repeat(65_536),
          'x'.repeat(65_537),
          `state=${'x'.repeat(70_000)}`,
          '&'.repeat(60_000),
          'a=1&'.repeat(16_000),
        ],
      ),
    },
  )

const HEADERS = [
  ...[
    'Accept: application/json',
    'Accept: text/html',
    'Accept: */*;q=x',
    'Accept: \xff',
    `Accept-Language: x${'-a'.repeat(30_000)}`,
    `Accept-Language: ${'aa,'.repeat(20_000)}`,
    `Accept: ${'a/b,'.repeat(5_000)}`,
  ],
  `Authorization: ${basic('ak_test_sandbox', 'sk_test_sandbox')}`,
  ...[
    'Authorization: Basic !!!',
    'Authorization: Basic',
    'Authorization: Bearer x',
    `Authorization: Bearer ${'y'.repeat(20_000)}`,
  ],
  ...[
    'Content-Type: application/json',
    'Content-Type: application/x-www-form-urlencoded',
    'Content-Type: ;;;',
    'Content-Type: \xff',
  ],
  ...['Content-Type: application/json; charset=utf-7', 'Content-Type: multipart/form-data', 'Content-Encoding: gzip'],
  ...['Content-Encoding: identity', 'Content-Encoding: br, \xff', 'If-None-Match: *', 'Range: bytes=0-1'],
  ...[
    'Cookie: agekey_sandbox_persona=%ff',
    'Cookie: agekey_sandbox_persona=nobody',
    'Cookie: ;;=;=;__proto__=x',
    'Cookie: \xff=\xff',
  ],
  ...[
    'X-Sandbox-Persona: nobody',
    'X-Sandbox-Persona: \xff',
    'X-Sandbox-Persona: teen-16',
    'X-Sandbox-Outcome: nothing',
  ],
  ...[
    'Origin: null',
    'Origin: https://evil.example',
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Site: same-origin',
    'Referer: \xff',
  ],
  ...[
    'X-Forwarded-Host: evil.example',
    'X-Forwarded-Proto: javascript',
    'X-HTTP-Method-Override: DELETE',
    'Upgrade: h2c',
  ],
  `X-Huge: ${'z'.repeat(60_000)}`,
  `X-Huger: ${'z'.repeat(120_000)}`,
]

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH', 'get']

/** Every header that the sandbox reads, by any bytes that a header may hold. */
const anyHeader = fc
  .tuple(
    fc.constantFrom(
      ...['Accept', 'Accept-Language', 'Authorization', 'Content-Type', 'Content-Encoding', 'Cookie', 'Host', 'Origin'],
      ...['Referer', 'User-Agent', 'Sec-Fetch-Site', 'Sec-Fetch-Dest', 'X-Sandbox-Persona', 'X-Sandbox-Outcome'],
      ...['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP', 'If-None-Match'],
    ),
    fc.oneof(
      fc.array(fc.integer({ min: 0x20, max: 0xff }), { maxLength: 60 }).map((codes) => String.fromCharCode(...codes)),
      fc.constantFrom('', '%', '%00', ',;=', '"', 'a=b;a=c', '[::1', 'localhost:99999', 'null', 'x'.repeat(10_000)),
    ),
  )
  .map(([name, value]) => `${name}: ${value.replaceAll('\x7f', '')}`)

const nameOf = (header: string) => header.split(':', 1)[0]?.toLowerCase()

/** What an endpoint takes beside what the service does: valid forms, and headers that some requests carry. */
export interface Usual {
  readonly forms?: readonly Readonly<Record<string, string>>[]
  readonly headers?: readonly string[]
}

/** Requests to one endpoint that no well-behaved client sends, most of them by its own method. */
export function oddRequests(
  method: string,
  path: string,
  { forms = [], headers = [] }: Usual = {},
): fc.Arbitrary<OddRequest> {
  const own = forms.map((fields) => String(new URLSearchParams(fields)))
  // An endpoint with forms gets these most of the time, in the type of a form, with their own names sent twice or alone.
  const ownNames = forms.flatMap((fields) => Object.keys(fields))
  const parameters = fc.oneof(
    { weight: 1, arbitrary: parametersOf(REQUESTS, NAMES) },
    ...(own.length === 0 ? [] : [{ weight: 3, arbitrary: parametersOf(own, [...ownNames, ...FORM_NAMES]) }]),
  )
  const type = own.length === 0 ? [] : ['Content-Type: application/x-www-form-urlencoded']
  return fc
    .record({
      method: fc.oneof(
        { weight: 8, arbitrary: fc.constant(method) },
        { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
      ),
      query: fc.oneof({ weight: 3, arbitrary: parameters }, { weight: 1, arbitrary: fc.constant('') }),
      headers: fc.uniqueArray(
        fc.oneof(
          { weight: 2, arbitrary: fc.constantFrom(...HEADERS) },
          { weight: 2, arbitrary: anyHeader },
          ...(headers.length === 0 ? [] : [{ weight: 2, arbitrary: fc.constantFrom(...headers) }]),
        ),
        { maxLength: 4 },
      ),
      body: bodyOf(parameters),
      isCutShort: fc.oneof({ weight: 19, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    })
    .map(({ method: sent, query, headers: lines, body: payload, isCutShort }) => {
      const length = payload.length + (isCutShort ? 10 : 0)
      const head = [
        `${sent} ${path}${query === '' ? '' : `?${query}`} HTTP/1.1`,
        'Connection: close',
        ...['Host: localhost', ...type].filter((usual) => !lines.some((line) => nameOf(line) === nameOf(usual))),
      ]
      const text = [...head, `Content-Length: ${length}`, ...lines, '', payload].join('\r\n')
      return { text, isCutShort }
    })
}
