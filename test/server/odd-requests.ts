import fc from 'fast-check'
import { ageSignal, basic, claims, type Fields, pushedRequest, tokenRequest, useRequest } from '../support/requests.ts'

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
  ...['authorization_code', 'true', 'teen-16', 'no-age-key', 'access_denied', '', ' ', '\0', '\r\n', '💥', '\u202e'],
  ...["'", '__proto__', '[object Object]', '<script>', '"><', '../../etc/passwd', '%', '%00', '1e309', '-0', 'null'],
  ...['{}', '[]', nested(5_000), 'x'.repeat(20_000), `x${'-a'.repeat(15_000)}`],
  ...['{"age_thresholds":[1e400]}', '{"age_thresholds":[18],"__proto__":{"x":1}}', '{"age_thresholds":["\\ud800"]}'],
  ...['a.'.repeat(15_000), '/'.repeat(15_000)],
]

/** Bytes in the place of an encoded value: not UTF-8, half an escape, a surrogate, an overlong slash. */
const BROKEN = ['%ff', '%', '%e', '%zz', '%ed%a0%80', '%c0%af', '%00', '+', '=', '&&&', '%25%32%35']

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...VALUES).map(encodeURIComponent) },
  { weight: 1, arbitrary: fc.constantFrom(...BROKEN) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 50 }).map(encodeURIComponent) },
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

const MEMBERS = ['authorization_details', 'claims', 'persona', 'signals', 'now', 'set', 'times', 'match']

/** An age signal, a claims object and what else JSON bodies carry, with one member replaced by something odd. */
const json = fc.oneof(
  fc
    .tuple(fc.constantFrom(...Object.keys(ageSignal()), 'extra', '__proto__'), odd)
    .map(([name, member]) => ({ authorization_details: [ageSignal({ [name]: member })] })),
  fc
    .tuple(fc.constantFrom(...MEMBERS), odd)
    .map(([name, member]) => ({ claims: JSON.parse(claims()), persona: 'teen-16', [name]: member })),
  odd,
)

const BODIES = [
  ...['', '{', '{"authorization_details":', '"', 'null', '\xff\xfe', '{"a":"\xff"}', '\xef\xbb\xbf{}'],
  '{"\\ud800":"\\udfff"}',
  ...[`{"__proto__":{"polluted":true}}`, nested(10_000), `{"authorization_details":${nested(10_000)}}`],
  ...['{"a":'.repeat(10_000), 'x'.repeat(65_536), 'x'.repeat(65_537), `state=${'x'.repeat(70_000)}`],
  ...['&'.repeat(60_000), 'a=1&'.repeat(16_000)],
]

const bodyOf = (parameters: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 4, arbitrary: parameters },
    { weight: 4, arbitrary: json.map((document) => bytesOf(JSON.stringify(document))) },
    { weight: 2, arbitrary: fc.constantFrom(...BODIES) },
  )

/** Odd values of a header. */
const header = (name: string, ...values: readonly string[]) => values.map((value) => `${name}: ${value}`)
const HEADERS = [
  ...header('Accept', 'application/json', 'text/html', '*/*;q=x', '\xff', 'a/b,'.repeat(5_000)),
  ...header('Accept-Language', `x${'-a'.repeat(30_000)}`, 'aa,'.repeat(20_000)),
  ...header('Authorization', basic('ak_test_sandbox', 'sk_test_sandbox'), 'Basic !!!', 'Basic', 'Bearer x'),
  ...header('Authorization', `Bearer ${'y'.repeat(20_000)}`),
  ...header('Content-Type', 'application/json', 'application/x-www-form-urlencoded', 'multipart/form-data', ';;;'),
  ...header('Content-Type', 'application/json; charset=utf-7', '\xff'),
  ...header('Content-Encoding', 'gzip', 'identity', 'br, \xff'),
  ...header('Cookie', 'agekey_sandbox_persona=%ff', 'agekey_sandbox_persona=nobody', ';;=;=;__proto__=x', '\xff=\xff'),
  ...['If-None-Match: *', 'Range: bytes=0-1', 'Referer: \xff', 'Upgrade: h2c', 'X-HTTP-Method-Override: DELETE'],
  ...['Origin: null', 'Origin: https://evil.example', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Site: same-origin'],
  ...['X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: javascript', `X-Huge: ${'z'.repeat(60_000)}`],
  ...['X-Sandbox-Outcome: nothing', `X-Huger: ${'z'.repeat(120_000)}`],
  ...header('X-Sandbox-Persona', 'nobody', '\xff', 'teen-16'),
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

/** Requests to one endpoint that no well-behaved client sends, most of them by its own method, some with a cookie that is valid. */
export function oddRequests(
  method: string,
  path: string,
  { form, cookie }: { form: Fields | undefined; cookie: string },
): fc.Arbitrary<OddRequest> {
  // An endpoint with a form gets it most of the time, in the type of a form, with its own names sent twice or alone.
  const own = form && parametersOf([String(new URLSearchParams(form))], [...Object.keys(form), ...FORM_NAMES])
  const parameters = fc.oneof(
    { weight: 1, arbitrary: parametersOf(REQUESTS, NAMES) },
    ...(own ? [{ weight: 3, arbitrary: own }] : []),
  )
  const type = form ? ['Content-Type: application/x-www-form-urlencoded'] : []
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
          { weight: 2, arbitrary: fc.constant(`Cookie: ${cookie}`) },
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
