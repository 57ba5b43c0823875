import { expect, test } from 'vitest'
import { levelOf, ruleRow } from '../../src/oidc/rules/rules.ts'
import { readError } from '../support/error-body.ts'
import { press, submit } from '../support/forms.ts'
import type { Answer } from '../support/http-client.ts'
import { createRelyingParty, type RelyingParty } from '../support/relying-party.ts'
import { createRequest, useRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const WEB_VIEW = 'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 Chrome/126 Mobile Safari/537.36'

const use = ({ request }: TestSandbox, changes = {}) => request.get('/v1/oidc/use').query(useRequest(changes))

/** A request whose rule only a page or a header can break. */
type Send = (sandbox: TestSandbox) => Promise<Answer>

test.each<[string, string, Send]>([
  ['USE-19', 'a plain embedded web view', async (sandbox) => use(sandbox).set('User-Agent', WEB_VIEW)],
  ['USE-20', 'an iframe', async (sandbox) => use(sandbox).set('Sec-Fetch-Dest', 'iframe')],
  ['USE-21', 'a text colour that is too light', async (sandbox) => use(sandbox, { text_color: '#aaa' })],
  [
    'USE-22',
    'a font that the device lacks, as a script of the page says',
    async (sandbox) => {
      const form = press((await use(sandbox, { font: 'No Such Font' })).text, 'use')
      form.fields.set('font', 'missing')
      return submit(sandbox, form)
    },
  ],
])('The journal has advice by %s on %s', async (rule, _what, send) => {
  const sandbox = await startSandbox()
  expect((await send(sandbox)).status).toBeLessThan(400)
  expect((await sandbox.flows.last())?.calls.at(-1)?.findings).toMatchObject([
    { rule, level: levelOf(ruleRow(rule), 'spec'), message: expect.stringMatching(/\w/), hint: ruleRow(rule).hint },
  ])
})

/** One refused request to each endpoint, with what is received, what is allowed and how to mend it. */
test.each<[string, string, (rp: RelyingParty, sandbox: TestSandbox) => Promise<Answer>, readonly string[]]>([
  [
    'E1',
    'USE-06',
    async (_rp, sandbox) => use(sandbox, { response_mode: 'form-post' }),
    ["is 'form-post'", 'response_mode must be fragment, query or form_post', 'Leave response_mode out for fragment'],
  ],
  [
    'E2',
    'PAR-02',
    (rp) => rp.push({ client_secret: 'sk_test_sandbox\n' }),
    ['there are blanks or line breaks around it', 'Registered: ak_test_sandbox', 'The sandbox prints its credentials'],
  ],
  [
    'E3',
    'CRE-08',
    async (_rp, { request }) => request.get('/v1/oidc/create').query(createRequest('urn:agekey:request:abc')),
    ['begins with urn:agekey:request:', 'request_uri must begin with urn:svc:request:', 'Push the request again'],
  ],
  [
    'E4',
    'TOK-05',
    async (rp) => rp.exchange((await rp.use()).params['id_token']),
    [
      'it is a JWT, such as the id_token',
      'the code was not issued to client ak_test_sandbox',
      'Send the code unchanged',
    ],
  ],
  [
    'E5',
    'UPG-02',
    async (rp, { request }) =>
      request
        .post('/v1/svc/upgrade')
        .set('Authorization', await rp.obtainToken())
        .send({ authorization_details: [] }),
    ['names no scheme that is known', 'it must be Bearer', 'Send Authorization: Bearer and the access_token'],
  ],
])('%s answers by %s what was received, what is allowed and how to mend it', async (endpoint, rule, send, words) => {
  const sandbox = await startSandbox()
  const answer = await send(createRelyingParty(sandbox), sandbox)
  const call = (await sandbox.flows.last())?.calls.at(-1)
  expect(call?.findings[0]).toMatchObject({ rule, level: 'error' })
  const location = new URL(answer.headers['location'] ?? 'about:blank')
  const told = ['E1', 'E3'].includes(endpoint)
    ? new URLSearchParams(location.search || location.hash.slice(1)).get('error_description')
    : [readError(answer).error_description, ...readError(answer).findings.map(({ hint }) => hint)].join('\n')
  expect(told).toMatch(new RegExp(`^${rule}: `))
  for (const part of words) expect(told).toContain(part)
  expect(JSON.stringify(await sandbox.flows.list())).not.toMatch(/sk_test_sandbox|at_test_/)
})
