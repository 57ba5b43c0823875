import { expect, test } from 'vitest'
import { OUTCOMES } from '../../src/sandbox/outcomes/catalogue.ts'
import { createBrowserClient } from '../support/browser-client.ts'
import { textOf } from '../support/markup.ts'
import { startSandbox } from '../support/sandbox.ts'
import { DEMO, journeysOf } from './journeys.ts'

/** A header of a megabyte is more than the client of this test reads. */
const isRefused = ({ flow, name, correctClient }: (typeof OUTCOMES)[number]) =>
  flow === 'use' && name !== 'id_token.huge' && correctClient === 'refuse'

/** A browser that uses the base URL, since the cookies of the demo are tied to it. */
async function startDemo(options: Parameters<typeof startSandbox>[0] = {}) {
  const sandbox = await startSandbox(options)
  const browser = createBrowserClient(sandbox.url, sandbox.baseUrl)
  return { sandbox, browser, ...journeysOf(browser, sandbox.baseUrl) }
}

test('The demo verifies an age and shows each check', async () => {
  const { use } = await startDemo()
  const text = await use({ sandbox_persona: 'teen-16' })
  expect(text).toContain('Verified Every check passed')
  expect(text).toContain('13: yes 18: no')
  for (const check of ['state', 'signature', 'iss', 'aud', 'exp', 'nonce', 'req_claims_hash'])
    expect(text).toContain(`${check} pass`)
})

test('The demo upgrades an age key by a code, as the next Use flow shows', async () => {
  const { use, upgrade } = await startDemo()
  expect(await use({ sandbox_persona: 'child-12' })).toContain('c_hash pass')
  expect(await upgrade()).toContain('The age key is upgraded')
  expect(await use({ sandbox_persona: 'child-12' })).toContain('13: yes 18: yes')
})

test('The demo offers Create when the callback asks for it, and saves an age key', async () => {
  const { use, create } = await startDemo()
  expect(await use({ sandbox_persona: 'no-age-key' })).toContain('The visitor wants an age key first')
  expect(await create({ sandbox_persona: 'no-age-key' })).toContain('The age key is saved')
  expect(await use({ sandbox_persona: 'no-age-key' })).toContain('13: yes 18: yes')
})

test('The demo shows why a Create request was refused', async () => {
  const { browser, follow, sandbox } = await startDemo()
  const { headers } = await browser.submit(`${DEMO}/create`, { date_of_birth: 'yesterday' })
  const text = await follow(new URL(headers.location ?? '', sandbox.baseUrl).href)
  expect(text).toContain('The Create request was refused')
  expect(text).toContain('invalid_authorization_details')
  expect(text).not.toContain('"client_secret"')
})

/** One row of each family: the checks themselves are tested with every row in `checks/`. */
const refusedOutcomes = [...new Map(OUTCOMES.filter(isRefused).map((row) => [row.family, row])).values()]

test.each(refusedOutcomes)('The demo does not trust $name', async ({ name, needs = [] }) => {
  const { use } = await startDemo()
  if (needs.includes('earlier_flow')) await use({ sandbox_persona: 'adult-passport' })
  const fields = needs.includes('no_can_create') ? { can_create: '' } : {}
  const text = await use({ sandbox_persona: 'adult-passport', sandbox_outcome: name }, fields)
  expect(text).not.toContain('Every check passed')
  expect(text).not.toContain('This test decision is not possible')
  expect(text).not.toMatch(/18: (?:yes|no)/)
})

test.each([
  ['par.dropped', 'connection fail'],
  ['par.redirect', 'redirect fail'],
  ['par.status_500_right_body', 'status fail'],
  ['par.error_with_200', 'request_uri fail'],
] as const)('The demo sends no browser to E3 after %s, and shows the check that failed', async (outcome, failed) => {
  const { sandbox, browser, follow } = await startDemo()
  await sandbox.next({ flow: 'par', outcome })
  const { headers } = await browser.submit(`${DEMO}/create`, { date_of_birth: '2000-02-29' })
  const text = await follow(new URL(headers.location ?? '', sandbox.baseUrl).href)
  expect(text).toContain('The Create request was refused')
  expect(text).toContain(failed)
})

test.each([
  ['token.status_400_right_body', 'status fail'],
  ['upgrade.not_ok', 'ok fail'],
] as const)('The demo reports no upgrade after %s, and shows the check that failed', async (outcome, failed) => {
  const { sandbox, use, upgrade } = await startDemo()
  await use({ sandbox_persona: 'child-12' })
  await sandbox.next({ flow: outcome.startsWith('token') ? 'token' : 'upgrade', outcome })
  const text = await upgrade()
  expect(text).toContain('The upgrade was refused')
  expect(text).toContain(failed)
})

test.each([
  ['discovery', 'discovery.issuer_other', 'issuer fail'],
  ['jwks', 'jwks.no_keys', 'keys fail'],
] as const)(
  'The demo trusts no id_token without the keys of the service: %s with %s',
  async (flow, outcome, failed) => {
    const { sandbox, use } = await startDemo()
    await sandbox.next({ flow, outcome })
    const text = await use({ sandbox_persona: 'adult-passport' })
    expect(text).toContain('The shop does not trust this callback')
    expect(text).toContain(failed)
    expect(text).not.toMatch(/18: (?:yes|no)/)
  },
)

test('The demo works in a tenant, without the built-in client, under a base URL of another name', async () => {
  const sandbox = await startSandbox({ builtinClient: false, baseUrl: 'https://sandbox.example/age' })
  await sandbox.tenant('qa').configure({})
  const browser = createBrowserClient(sandbox.url, 'https://sandbox.example')
  const { headers } = await browser.submit(`/t/qa${DEMO}/create`, { date_of_birth: '2000-02-29' })
  expect(headers.location).toMatch(/^https:\/\/sandbox\.example\/age\/t\/qa\/v1\/oidc\/create\?/)
})

test('The demo links to the base URL when it is opened under another name', async () => {
  const { request, baseUrl } = await startSandbox()
  const page = (await request.get(DEMO)).text
  expect(textOf(page)).toContain('Open the demo there')
  expect(page).toContain(`${baseUrl}${DEMO}`)
})

test('The demo refuses a callback of a browser without a session', async () => {
  const { request } = await startSandbox()
  const answer = await request.get(`${DEMO}/callback`).query('state=x').set('Accept', 'text/html')
  expect(answer.status).toBe(400)
  expect(textOf(answer.text)).toContain('This browser has no session')
})

test.each([
  ['the upgrade scope was not asked for', { sandbox_persona: 'child-12' }, { upgrade: '' }],
  ['an age is reached', { sandbox_persona: 'teen-16' }, {}],
])(
  'The demo refuses an upgrade without a code with what is wrong and how to go on: %s',
  async (_case, decision, fields) => {
    const { browser, use } = await startDemo()
    await use(decision, fields)
    const answer = await browser.submit(`${DEMO}/upgrade`, { date_of_birth: '2000-02-29' })
    expect(answer.status).toBe(400)
    const text = textOf(answer.text)
    expect(text).toContain('no code came with this flow')
    expect(text).toContain('only with the upgrade scope, when every threshold is false')
    expect(text).toContain('Allow an upgrade')
    expect(text).not.toContain('the shop does not know this browser')
  },
)

test('The demo refuses a second upgrade with the same code', async () => {
  const { browser, use, upgrade } = await startDemo()
  await use({ sandbox_persona: 'child-12' })
  await upgrade()
  const answer = await browser.submit(`${DEMO}/upgrade`, { date_of_birth: '2000-02-29' })
  expect(answer.status).toBe(400)
  expect(textOf(answer.text)).toContain('the code of this flow is exchanged already')
})

test('The demo refuses an upgrade with a code of a callback that it does not trust', async () => {
  const { browser, use } = await startDemo()
  await use({ sandbox_persona: 'child-12', sandbox_outcome: 'id_token.expired' })
  const answer = await browser.submit(`${DEMO}/upgrade`, { date_of_birth: '2000-02-29' })
  expect(answer.status).toBe(400)
  expect(textOf(answer.text)).toContain('a check of the callback failed')
})

test('The demo refuses an upgrade of a browser without a session', async () => {
  const { browser } = await startDemo()
  const answer = await browser.submit(`${DEMO}/upgrade`, { date_of_birth: '2000-02-29' })
  expect(answer.status).toBe(400)
  expect(textOf(answer.text)).toContain('the shop does not know this browser')
})

test('The demo refuses a callback with the state of another session', async () => {
  const { browser, follow, sandbox } = await startDemo()
  await browser.submit(`${DEMO}/use`, { claims: '{"age_thresholds":[18]}', response_mode: 'query' })
  const text = await follow(`${sandbox.baseUrl}${DEMO}/callback?state=forged&create_requested=true`)
  expect(text).toContain('The shop does not trust this callback')
})

test.each([
  ['use', 'response_mode'],
  ['create', 'date_of_birth'],
  ['upgrade', 'date_of_birth'],
  ['callback', 'error_description'],
])('The demo keeps nothing of more than 4,096 bytes: POST %s with a long %s', async (path, name) => {
  const { browser } = await startDemo()
  await browser.submit(`${DEMO}/use`, {})
  const answer = await browser.submit(`${DEMO}/${path}`, { [name]: 'x'.repeat(4_097) })
  expect(answer.status).toBe(400)
  expect(textOf(answer.text)).toContain(`${name} is 4097 bytes long; at most 4096 are taken`)
})

test.each(['use', 'create', 'upgrade', 'callback'])('The demo refuses POST %s from another site', async (path) => {
  const { request } = await startSandbox()
  const answer = await request.post(`${DEMO}/${path}`).set('Origin', 'https://evil.example').type('form')
  expect(answer.status).toBe(403)
})
