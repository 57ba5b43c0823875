import { expect, test } from 'vitest'
import { createClients } from '../../../../src/sandbox/clients/clients.ts'
import {
  addresses,
  differenceFrom,
  redirectProblem,
} from '../../../../src/service/oidc/request/redirect-target.ts'
import { createProvider } from '../../../support/provider.ts'

const REGISTERED = 'http://localhost:3000/callback'

test.each([
  ['http://localhost:3000/callback/', ' (differs by the final slash)'],
  ['https://localhost:3000/callback', ' (differs by the scheme: https: is not http:)'],
  ['http://localhost/callback', ' (differs by the port: none is not 3000)'],
  ['http://127.0.0.1:3000/callback', ' (differs by the host: 127.0.0.1 is not localhost)'],
  ['http://localhost:3000/Callback', ' (differs by upper and lower case)'],
  ['HTTP://localhost:3000/callback', ' (differs by upper and lower case)'],
  ['http://localhost:3000/callback?a=b', ' (differs by the query: ?a=b is not none)'],
  [
    'http://localhost:3000/callback#',
    ' (differs by its spelling: it is compared character by character)',
  ],
  ['http://localhost:3000/callback#a', ' (differs by the fragment)'],
  [
    'http://localhost:3000/call%62ack',
    ' (differs by percent-encoding: /call%62ack is not /callback)',
  ],
  ['http://localhost:3000/callback ', ' (differs by blanks or line breaks around it)'],
  ['\nhttp://localhost:3000/callback', ' (differs by blanks or line breaks around it)'],
  ['http://localhost:3000/cb', ' (differs by the path: /cb is not /callback)'],
  ['http://localhost:3000/%', ' (differs by the path: /% is not /callback)'],
  [
    'https://localhost:3000/cb',
    ' (differs by the scheme: https: is not http: and the path: /cb is not /callback)',
  ],
  ['http://localhost:4000/Callback?x=1', ''],
  [
    'http://localhost:4000/Callback',
    ' (differs by the port: 4000 is not 3000 and upper and lower case)',
  ],
  [
    'http://localhost:4000/callback/',
    ' (differs by the port: 4000 is not 3000 and the final slash)',
  ],
  ['http://127.0.0.1:4000/callback', ''],
  [
    'http%3A%2F%2Flocalhost%3A3000%2Fcallback',
    ' (differs by percent-encoding: it is encoded twice)',
  ],
  ['HTTPS%3a%2F%2Flocalhost', ''],
  [
    'http%253A%252F%252Flocalhost%253A3000%252Fcallback',
    ' (differs by percent-encoding: it is encoded twice)',
  ],
  ['localhost:3000/callback', ' (differs by the scheme: http:// is missing)'],
  ['//localhost:3000/callback', ' (differs by the scheme: http: is missing)'],
  [
    'http:/localhost:3000/callback',
    ' (differs by its beginning, which must be http:// or https://)',
  ],
  ['http:\\\\localhost:3000\\callback', ' (differs by its backslashes, which must be slashes)'],
  ['"http://localhost:3000/callback"', ' (differs by quotation marks or brackets around it)'],
])('The difference of %j from the registered address is "%s"', (received, difference) => {
  expect(differenceFrom(received, [REGISTERED])).toBe(difference)
})

const OTHERS = [
  'https://evil.example/x',
  'localhost:3000',
  '/callback',
  '',
  '%',
  'http%3A%',
  'https://[',
  '\0',
]

test.each(OTHERS)(
  'No difference is looked for in %j, which is another address or none',
  (received) => {
    expect(differenceFrom(received, [REGISTERED])).toBe('')
    expect(differenceFrom(REGISTERED, [received])).toBe('')
  },
)

const SPELLING = 'its spelling: it is compared character by character'

test.each([
  ['http://localhost:3000/callback?', 'http://localhost:3000/callback', SPELLING],
  [
    'http://localhost:3000/callback?a=b',
    'http://localhost:3000/callback?c=d',
    'the query: ?a=b is not ?c=d',
  ],
  [
    'http://localhost:3000/callback',
    'http://localhost:3000/callback?c=d',
    'the query: none is not ?c=d',
  ],
  ['http://localhost:3000/callback', 'http://localhost/callback', 'the port: 3000 is not none'],
  ['http://localhost:3000/callback?a=b/', 'http://localhost:3000/callback?a=b', 'the final slash'],
  [
    'https://a.example/?u=http%3a',
    'https://a.example/?u=http:',
    'the query: ?u=http%3a is not ?u=http:',
  ],
  ['http://localhost:3000/%a', 'http://localhost:3000/%b', 'the path: /%a is not /%b'],
])('The address %s differs from %s by %s', (received, registered, difference) => {
  expect(differenceFrom(received, [registered])).toBe(` (differs by ${difference})`)
})

test('The nearest of several registered addresses is named', () => {
  const registered = [
    'https://localhost:3000/callback',
    REGISTERED,
    'https://shop.example/callback',
  ]
  const difference = ` (differs from ${REGISTERED} by the final slash)`
  expect(differenceFrom('http://localhost:3000/callback/', registered)).toBe(difference)
})

test('Twelve of many addresses are listed', () => {
  const many = Array.from({ length: 20 }, (_, index) => `https://shop.example/${index}`)
  expect(addresses(many)).toBe(`${many.slice(0, 12).join(', ')} and 8 more`)
})

test('An address with a blank is quoted', () => {
  expect(addresses(['a b'])).toBe('"a b"')
})
test('No difference is named when no address is registered', () => {
  expect(differenceFrom(REGISTERED, [])).toBe('')
})

const PREFIX = 'is not registered for client ak_test_sandbox; registered:'
const LOOPBACK =
  'any path and port on localhost, *.localhost, 127.0.0.0/8 and [::1] (http or https, no fragment)'

test.each([
  ['https://shop.example/cb', 'https://shop.example/cb', '(differs by the host: shop.example)'],
  ['app://localhost/cb', 'app://localhost/cb', '(differs by the scheme: app:)'],
  ['http://localhost/cb#', 'http://localhost/cb#', '(differs by the host: localhost)'],
  ['http://localhost/cb#a', 'http://localhost/cb#a', '(differs by the fragment)'],
  ['https://user@localhost/cb', 'https://user@localhost/cb', '(differs by the credentials in it)'],
  ['/cb of mine', '"/cb of mine"', '(differs: what was received is no absolute URL)'],
])(
  'A client of loopback addresses is told what keeps %s from being one',
  (received, shown, difference) => {
    const registered = createProvider().clients.find('ak_test_sandbox')
    if (!registered) throw new Error('the client is unknown')
    const client = {
      ...registered,
      redirectUris: [],
      allowsLoopback: true,
      allowsRedirectTo: () => false,
    }
    expect(redirectProblem(received, client)).toBe(
      `redirect_uri ${shown} ${PREFIX} ${LOOPBACK} ${difference}`,
    )
    expect(redirectProblem(received, { ...client, allowsRedirectTo: () => true })).toBeUndefined()
  },
)

const TWICE = 'percent-encoding: it is encoded twice'
const NO_HTTP = 'the scheme: http:// is missing'
const BEGINNING = 'its beginning, which must be http:// or https://'

test.each([
  ['http%3A%2F%2Flocalhost%3A3000%2Fcb', TWICE],
  ['http%253A%252F%252Flocalhost%252Fcb', TWICE],
  ['http:%2F%2Flocalhost/cb', TWICE],
  ['http%3A%2F%2Fshop.example%2Fcb', `${TWICE} and the host: shop.example`],
  ['localhost%3A3000%2Fcb', `${TWICE} and ${NO_HTTP}`],
  ['localhost:3000/cb', NO_HTTP],
  ['localhost/cb', NO_HTTP],
  ['LOCALHOST', NO_HTTP],
  ['127.0.0.1:3000', NO_HTTP],
  ['[::1]:3000/cb', NO_HTTP],
  ['localhost:3000?a=b', NO_HTTP],
  ['://localhost/cb', NO_HTTP],
  ['//localhost/cb', 'the scheme: http: is missing'],
  ['shop.example/callback', 'the scheme: https:// is missing and the host: shop.example'],
  ['app:3000/cb', 'the scheme: https:// is missing and the host: app'],
  ['localhost:3000/cb#a', 'the scheme: https:// is missing and the fragment'],
  ['http:/localhost', BEGINNING],
  ['http:localhost:3000/cb', BEGINNING],
  ['http//localhost/cb', BEGINNING],
  ['https:///localhost/cb', BEGINNING],
  ['http:\\\\localhost\\cb', 'its backslashes, which must be slashes'],
  [' http://localhost/cb\n', 'blanks or line breaks around it'],
  ['"http://localhost/cb"', 'quotation marks or brackets around it'],
  ['<http://localhost/cb>', 'quotation marks or brackets around it'],
  ['com.example.app:/cb', 'the scheme: com.example.app:'],
])('The built-in client is told that %j differs by %s', (received, difference) => {
  const builtIn = createClients([], { builtin: true }).find('ak_test_sandbox')
  if (!builtIn) throw new Error('the client is unknown')
  expect(redirectProblem(received, builtIn)).toMatch(
    /^redirect_uri .* is not registered for client ak_test_sandbox/,
  )
  const shown = ` (differs by ${difference})`
  expect(redirectProblem(received, builtIn)?.slice(-shown.length)).toBe(shown)
})

test.each(['/cb', 'cb', '', '%', 'http://', 'undefined'])(
  'The built-in client is told that %j is no URL',
  (received) => {
    const builtIn = createClients([], { builtin: true }).find('ak_test_sandbox')
    if (!builtIn) throw new Error('the client is unknown')
    expect(redirectProblem(received, builtIn)).toMatch(
      / \(differs: what was received is no absolute URL\)$/,
    )
  },
)

test.each([
  [
    'https://preview.example/cb/',
    'https://preview.example/cb (differs by the final slash), and LOOPBACK',
  ],
  [
    'https://shop.example/x',
    'https://preview.example/cb, and LOOPBACK (differs by the host: shop.example)',
  ],
])('A client of loopback addresses learns all of them for %s', (received, told) => {
  const registered = createProvider().clients.find('ak_test_sandbox')
  if (!registered) throw new Error('the client is unknown')
  const redirectUris = ['https://preview.example/cb']
  const client = {
    ...registered,
    redirectUris,
    allowsLoopback: true,
    allowsRedirectTo: () => false,
  }
  const message = `redirect_uri ${received} ${PREFIX} ${told.replace('LOOPBACK', LOOPBACK)}`
  expect(redirectProblem(received, client)).toBe(message)
})

test.each([
  'http://shop.localhost/cb',
  'http://a.b.localhost:3000/cb',
  'http://localhost.:3000/cb',
  'https://127.9.0.1/cb',
  'http://[::1]:3000/cb',
  'http://[::ffff:127.0.0.1]:3000/cb',
])('The built-in client may be answered at %s', (redirectUri) => {
  const builtIn = createClients([], { builtin: true }).find('ak_test_sandbox')
  expect(builtIn?.allowsRedirectTo(redirectUri)).toBe(true)
})

test.each([
  'http://localhost.evil.example/cb',
  'http://0.0.0.0/cb',
  'http://128.0.0.1/cb',
  'http://[::2]/cb',
])('The built-in client may not be answered at %s', (redirectUri) => {
  const builtIn = createClients([], { builtin: true }).find('ak_test_sandbox')
  expect(builtIn?.allowsRedirectTo(redirectUri)).toBe(false)
})
