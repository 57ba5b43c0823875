import { expect, test } from 'vitest'
import type { Clients } from '../../../../src/service/oidc/ports.ts'
import {
  base64Problem,
  basicProblem,
  credentialsProblem,
  mistakenFor,
  receivedInstead,
} from '../../../../src/service/oidc/request/client-mistakes.ts'
import { createProvider } from '../../../support/provider.ts'
import { basic } from '../../../support/requests.ts'

const { clients } = createProvider()
const SECRET = 'sk_test_sandbox'
const REGISTERED = 'Registered: ak_test_sandbox, other.'
const WRONG_SECRET = 'client_secret is wrong for client "ak_test_sandbox", which is registered:'
const SIX_CHARACTERS = `${WRONG_SECRET} 6 characters were received, which are another secret. ${REGISTERED}`

test.each([
  [` ${SECRET}\n`, 'there are blanks or line breaks around it'],
  [`"${SECRET}"`, 'there are quotation marks around it'],
  [`'${SECRET}'`, 'there are quotation marks around it'],
  [SECRET.replaceAll('_', '%5F'), 'it is percent-encoded twice'],
  [`ak_test_sandbox:${SECRET}`, 'the client_id and a colon stand before it'],
  [Buffer.from(SECRET).toString('base64'), 'it is base64 here, where it must stand as it is'],
  ['ak_test_sandbox', 'it is the client_id'],
  ['sk_other', 'it is that of client "other"'],
  ['wrong', '5 characters were received, which are another secret'],
  [`x"${SECRET}"`, '18 characters were received, which are another secret'],
  [SECRET.replace('_', '_"'), '16 characters were received, which are another secret'],
  ['%', '1 characters were received, which are another secret'],
])('The usual mistake in the client_secret %j is named', (clientSecret, mistake) => {
  const problem = `${WRONG_SECRET} ${mistake}. ${REGISTERED}`
  expect(credentialsProblem({ clientId: 'ak_test_sandbox', clientSecret }, clients).message).toBe(
    problem,
  )
})

/** The only client, with this secret. */
const withSecret = (clientSecret: string): Clients => {
  const client = clients.find('ak_test_sandbox')
  if (!client) throw new Error('the client is unknown')
  const find = (id: string) => (id === client.clientId ? { ...client, clientSecret } : undefined)
  return { ids: [client.clientId], find }
}

test.each([
  ['p+q', 'p q', '+ became a blank'],
  ['+p+q/r=', ' p q/r=', '+ became a blank'],
  ['p&q', 'p', '& ended it'],
  ['p%41q', 'pAq', 'a % with two digits became one character'],
  ['p+q&r', 'p q', '& ended it and + became a blank'],
  [
    'p+q%41&r%',
    'p qA',
    '& ended it and + became a blank and a % with two digits became one character',
  ],
  ['p+q%41', 'p q%41', '+ became a blank'],
  ['p+q%41', 'p+qA', 'a % with two digits became one character'],
])(
  'The client_secret %j that arrives as %j was sent without percent-encoding',
  (secret, clientSecret, causes) => {
    const { path, message } = credentialsProblem(
      { clientId: 'ak_test_sandbox', clientSecret },
      withSecret(secret),
    )
    expect(path).toBe('client_secret')
    expect(message).toBe(
      `${WRONG_SECRET} it is as if it was sent without percent-encoding: ${causes}; percent-encode it, as URLSearchParams does. Registered: ak_test_sandbox.`,
    )
  },
)

test('A client_secret with a blank that was encoded as a form twice is named', () => {
  const { message } = credentialsProblem(
    { clientId: 'ak_test_sandbox', clientSecret: 'p+q' },
    withSecret('p q'),
  )
  expect(message).toContain('it is percent-encoded twice')
})

test.each(['p', 'p  q', 'pq', ' '])('The client_secret %j is no spoiled p+q', (clientSecret) => {
  const { message } = credentialsProblem(
    { clientId: 'ak_test_sandbox', clientSecret },
    withSecret('p+q'),
  )
  expect(message).toContain('which are another secret')
})

test('A client_secret that Basic brings with a blank for its + is named', () => {
  const problem = basicProblem(basic('ak_test_sandbox', 'p q'), withSecret('p+q'))
  expect(problem).toContain('as if it was sent without percent-encoding: + became a blank')
})

test('An unknown client_id is answered by the registered ones', () => {
  const problem = `client_id "ak-test-sandbox" is not registered here. Did you mean "ak_test_sandbox"? ${REGISTERED}`
  expect(
    credentialsProblem({ clientId: 'ak-test-sandbox', clientSecret: SECRET }, clients).message,
  ).toBe(problem)
})

const RIGHT = basic('ak_test_sandbox', SECRET)
const FOREIGN = 'Authorization has characters behind Basic that are no base64:'
const NO_SCHEME = 'Authorization names no scheme that is known; it must be Basic'

test.each([
  ['Bearer abc', 'Authorization is Bearer; it must be Basic'],
  ['DPoP abc', 'Authorization is DPoP; it must be Basic'],
  ['digest abc', 'Authorization is digest; it must be Basic'],
  ['Negotiate abc', 'Authorization is Negotiate; it must be Basic'],
  ['token abc', 'Authorization is token; it must be Basic'],
  ['c2VjcmV0', NO_SCHEME],
  ['Bearer-abc', NO_SCHEME],
  ['swordfish of the sea', NO_SCHEME],
  [`x-${basic('ak_test_sandbox', SECRET)}`, NO_SCHEME],
  [basic('', 'x'), `client_id "" is not registered here. ${REGISTERED}`],
  ['Basic', 'Authorization is Basic without the base64 of client_id:client_secret'],
  ['basic YWJj', 'Authorization is Basic without the base64 of client_id:client_secret'],
  [
    `Basic  ak_test_sandbox:${SECRET}`,
    'Authorization has the credentials as they are; it must have their base64',
  ],
  [`${RIGHT}$$`, `${FOREIGN} "$"`],
  [`${RIGHT} x`, `${FOREIGN} " "`],
  [`${RIGHT}=`, `${FOREIGN} "="`],
  ['Basic a!b?c#d.e', `${FOREIGN} "!" "?" "#"`],
  [basic('ak_test_sandbox', ''), 'Authorization is Basic with an empty client_secret'],
  [basic('ak_test_sandbox', 'wrong:'), SIX_CHARACTERS],
])('What is wrong with the header %s is said without a secret', (authorization, problem) => {
  expect(basicProblem(authorization, clients)).toBe(problem)
})

const STANDARD = 'Authorization must be Basic with standard base64; it has'

test.each([
  ['Basic YTpi', undefined],
  ['basic  YTo+Pz8=  ', undefined],
  ['Basic YTo-Pz8=', `${STANDARD} letters of base64url (- or _)`],
  ['Basic YTo/Pz8', `${STANDARD} too little padding (=)`],
  ['Basic YQ=', `${STANDARD} too little padding (=)`],
  ['Basic YTo_Pz8', `${STANDARD} letters of base64url (- or _) and too little padding (=)`],
])('What keeps the header %s from standard base64 is named: %s', (authorization, problem) => {
  expect(base64Problem(authorization)).toBe(problem)
})

test.each([
  ['eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', ': it is a JWT, such as the id_token'],
  ['eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0', ''],
  ['xeyJh.e30.c2ln', ''],
  ['eyJh.e30.c2ln.x', ''],
  ['urn:svc:request:abc', ': it is a request_uri'],
  ['xurn:svc:request:abc', ''],
  [SECRET, ': it is a client_secret'],
  ['sk_other', ': it is a client_secret'],
  ['undefined', ': it is the text "undefined" of a variable without a value'],
  ['null', ': it is the text "null" of a variable without a value'],
  ['something-else', ''],
  ['', ''],
])('The text %s where a token or a code must stand is taken for what it is', (text, what) => {
  expect(mistakenFor(text, clients)).toBe(what)
})

const CODE_ID = 'Mrx9abcdefghijklmno-_1'
const SPOILED = 'there is something behind it, such as another parameter'

test.each([
  [CODE_ID, 'short', ''],
  [CODE_ID.slice(1), 'short', '; a code of this sandbox has 22 characters'],
  [`${CODE_ID} `, 'short', ': there are blanks or line breaks around it'],
  [`\r\n${CODE_ID}`, 'short', ': there are blanks or line breaks around it'],
  [`'${CODE_ID}'`, 'short', ': there are quotation marks around it'],
  [`${CODE_ID}=`, 'short', `: ${SPOILED}`],
  [`${CODE_ID}&state=x`, 'short', `: ${SPOILED}`],
  [`+/${CODE_ID}==`, 'base64', ''],
  [`+/${CODE_ID}%3D%3D`, 'base64', ': it is percent-encoded twice'],
  [`+/${CODE_ID}==#`, 'base64', `: ${SPOILED}`],
] as const)(
  'The length of the code %j in the form %s is named with its mistake',
  (code, form, ending) => {
    const message = receivedInstead(code, { what: 'a code', bytes: 16, form })
    expect(message).toBe(
      `received ${code.length} characters that begin with ${JSON.stringify(code.slice(0, 4))}${ending}`,
    )
  },
)
