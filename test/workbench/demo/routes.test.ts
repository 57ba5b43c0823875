import { expect, test } from 'vitest'
import { createBrowserClient } from '../../support/browser-client.ts'
import { textOf } from '../../support/markup.ts'
import { shareSandbox, startSandbox } from '../../support/sandbox.ts'

const DEMO = '/_sandbox/demo'
const BIRTH = { date_of_birth: '2000-02-29' }
type Fields = Readonly<Record<string, string>>

const USE = {
  claims: '{"age_thresholds":[13,18]}',
  response_mode: 'query',
  can_create: 'true',
  upgrade: 'true',
}
const sandbox = await shareSandbox()

/** A new browser at the base URL. */
function openDemo({ baseUrl } = sandbox) {
  const browser = createBrowserClient(baseUrl)
  /** Sends a form of the demo that is refused with 400: the text of the answer. */
  const refused = async (path: string, fields: Fields = BIRTH) => {
    const { status, text } = await browser.submit(`${DEMO}/${path}`, fields)
    expect(status).toBe(400)
    return textOf(text)
  }
  const follow = async (address: string): Promise<string> => {
    const { headers, text } = await browser.get(address.replace(baseUrl, ''))
    return headers.location === undefined
      ? textOf(text)
      : follow(new URL(headers.location, baseUrl).href)
  }
  /** Sends a form of the demo, and decides the flow that begins by query parameters. */
  const decided = async (path: string, fields: Fields, choices: Fields = {}) => {
    const address = new URL(
      (await browser.submit(`${DEMO}/${path}`, fields)).headers.location ?? '',
      baseUrl,
    )
    for (const [name, value] of Object.entries(choices)) address.searchParams.set(name, value)
    return follow(address.href)
  }
  const use = (choices: Fields, fields: Fields = {}) =>
    decided('use', { ...USE, ...fields }, choices)
  const create = (choices: Fields, fields: Fields = BIRTH) => decided('create', fields, choices)
  return { browser, refused, follow, use, create, upgrade: () => decided('upgrade', BIRTH) }
}

test('The demo shows each check of an answer', async () => {
  const text = await openDemo().use({ sandbox_persona: 'teen-16' })
  expect(text).toMatch(/Verified Every check passed.*13: yes 18: no/)
  for (const check of ['state', 'signature', 'iss', 'aud', 'exp', 'nonce', 'req_claims_hash'])
    expect(text).toContain(`${check} pass`)
  // What passed is folded, and no page of the menu is the current one.
  expect(text).toMatch(/What the shop checked Checks that passed \d+ /)
})

test('No page of the menu is current on the demo', async () => {
  expect((await sandbox.request.get(DEMO)).text).not.toContain('aria-current')
})

test('The coverage counts no call of the demo', async () => {
  const own = await startSandbox()
  const { use, upgrade, create } = openDemo(own)
  await use({ sandbox_persona: 'child-12' })
  await upgrade()
  await create({ sandbox_persona: 'no-age-key' })
  expect((await own.coverage.get()).names).toEqual([])
})

test('The demo upgrades an age key by a code, as the next Use flow shows', async () => {
  const { use, upgrade } = openDemo()
  expect(await use({ sandbox_persona: 'child-12' })).toContain('c_hash pass')
  expect(await upgrade()).toMatch(/The age key is upgraded.*Authorization Basic \*\*\*/)
  expect(await use({ sandbox_persona: 'child-12' })).toContain('13: yes 18: yes')
})

test('The demo offers Create when the callback asks for Create', async () => {
  const { use } = openDemo()
  expect(await use({ sandbox_persona: 'no-age-key' })).toContain(
    'The visitor wants an age key first',
  )
})

test('The demo saves an age key', async () => {
  const { use, create } = openDemo()
  expect(await use({ sandbox_persona: 'no-age-key' })).toContain(
    'The visitor wants an age key first',
  )
  expect(await create({ sandbox_persona: 'no-age-key' })).toContain('The age key is saved')
  expect(await use({ sandbox_persona: 'no-age-key' })).toContain('13: yes 18: yes')
})

test('The session of a visitor of the demo lives an hour in the browser, for the tenant alone', async () => {
  const begun = await createBrowserClient(sandbox.baseUrl).submit(`/t/qa${DEMO}/use`, {
    claims: '{"age_thresholds":[18]}',
  })
  const cookie = /^agekey_sandbox_demo=[\w-]{22}; Max-Age=3600; Path=\/t\/qa\/_sandbox\/demo; /
  expect(begun.get('Set-Cookie')).toEqual([expect.stringMatching(cookie)])
})

test('The demo compares the issuer that a callback names, in Use as in Create', async () => {
  const { use, create } = openDemo(await startSandbox({ readings: { callback_iss: 'present' } }))
  expect(await use({ sandbox_persona: 'teen-16' })).toContain('callback_iss pass')
  expect(await create({ sandbox_persona: 'no-age-key' })).toContain('callback_iss pass')
})

test('The demo shows why a Create request was refused', async () => {
  const text = await openDemo().create({}, { date_of_birth: 'yesterday' })
  expect(text).toMatch(/The Create request was refused.*invalid_authorization_details/)
  expect(text).not.toContain('"client_secret"')
})

/**
 * A row for each thing that the routes give to the checks, which are tested with every row in
 * `checks/`.
 */
const GIVEN = {
  state: 'callback.state_changed',
  nonce: 'id_token.nonce_other',
  client: 'id_token.aud_of_other_client',
  issuer: 'id_token.iss_without_path',
  claims: 'id_token.req_claims_hash_weaker',
  start: 'id_token.issued_before_the_flow',
  time: 'id_token.expired',
}

test.each(Object.values(GIVEN))('The demo does not trust %s', async (name) => {
  const text = await openDemo().use({ sandbox_persona: 'adult-passport', sandbox_outcome: name })
  expect(text).toContain('The shop does not trust this callback')
  expect(text).not.toMatch(/18: (?:yes|no)/)
})

test.each([
  ['par', 'par.dropped', 'connection fail'],
  ['par', 'par.redirect', 'redirect fail'],
  ['par', 'par.status_500_right_body', 'status fail'],
  ['par', 'par.error_with_200', 'request_uri fail'],
  ['token', 'token.status_400_right_body', 'status fail'],
  ['upgrade', 'upgrade.not_ok', 'ok fail'],
  ['discovery', 'discovery.issuer_other', 'issuer fail'],
  ['jwks', 'jwks.no_keys', 'keys fail'],
] as const)('The demo goes no further after the reply %s/%s', async (...row) => {
  const [flow, outcome, failed] = row
  const { use, create, upgrade } = openDemo()
  const isOfUpgrade = flow === 'token' || flow === 'upgrade'
  if (isOfUpgrade) await use({ sandbox_persona: 'child-12' })
  await sandbox.next({ flow, outcome })
  const last = isOfUpgrade
    ? upgrade()
    : flow === 'par'
      ? create({})
      : use({ sandbox_persona: 'adult-passport' })
  const text = await last
  expect(text).toContain(failed)
  expect(text).not.toMatch(/18: yes/)
})

test('The demo works in a tenant, without the built-in client, under a base URL of another name', async () => {
  const { url, tenant } = await startSandbox({
    builtinClient: false,
    baseUrl: 'https://sandbox.example/age',
  })
  await tenant('qa').configure({})
  const { headers } = await createBrowserClient(url, 'https://sandbox.example').submit(
    `/t/qa${DEMO}/create`,
    BIRTH,
  )
  expect(headers.location).toMatch(/^https:\/\/sandbox\.example\/age\/t\/qa\/v1\/oidc\/create\?/)
})

test('The page that reads the fragment names the modes that work without scripts', async () => {
  const { text } = await sandbox.request.get(`${DEMO}/callback`)
  expect(textOf(text)).toContain('choose the response mode query or form_post')
})

test('The demo links to the base URL when it is opened under another name', async () => {
  const { request } = await startSandbox({ baseUrl: 'https://sandbox.example' })
  const { text } = await request.get(DEMO)
  expect(textOf(text)).toContain('Open the demo there')
  expect(text).toContain(`https://sandbox.example${DEMO}`)
})

test('The demo refuses a callback of a browser without a session', async () => {
  const answer = await sandbox.request
    .get(`${DEMO}/callback`)
    .query('state=x')
    .set('Accept', 'text/html')
  expect(answer.status).toBe(400)
  expect(textOf(answer.text)).toContain('This browser has no session')
})

test('The demo refuses a callback with the state of another session', async () => {
  const { browser, follow } = openDemo()
  await browser.submit(`${DEMO}/use`, { claims: '{"age_thresholds":[18]}', response_mode: 'query' })
  const text = await follow(`${sandbox.baseUrl}${DEMO}/callback?state=forged&create_requested=true`)
  expect(text).toContain('The shop does not trust this callback')
})

const NO_CODE =
  /^((?!the shop does not know).)*no code came with this flow.*only with the upgrade scope, when every threshold is false.*Allow an upgrade/

test.each<[when: string, decision: Fields, fields: Fields, problem: RegExp]>([
  [
    'the upgrade scope was not asked for',
    { sandbox_persona: 'child-12' },
    { upgrade: '' },
    NO_CODE,
  ],
  ['an age is reached', { sandbox_persona: 'teen-16' }, {}, NO_CODE],
  [
    'the callback is not trusted',
    { sandbox_persona: 'child-12', sandbox_outcome: 'id_token.expired' },
    {},
    /a check of the callback failed/,
  ],
])('The demo refuses an upgrade with the remedy: %s', async (_, decision, fields, problem) => {
  const { refused, use } = openDemo()
  await use(decision, fields)
  expect(await refused('upgrade')).toMatch(problem)
})

test('The demo refuses an upgrade without a session', async () => {
  const { refused } = openDemo()
  expect(await refused('upgrade')).toContain('the shop does not know this browser')
})

test('The demo refuses a second upgrade with the same code', async () => {
  const { refused, use, upgrade } = openDemo()
  await use({ sandbox_persona: 'child-12' })
  await sandbox.next({ flow: 'token', outcome: 'token.500' })
  await upgrade()
  expect(await refused('upgrade')).toContain('the code of this flow is exchanged already')
})

test.each([
  ['use', 'response_mode'],
  ['create', 'date_of_birth'],
  ['upgrade', 'date_of_birth'],
  ['callback', 'error_description'],
])(
  'The demo keeps nothing of more than 4,096 bytes, nor of another site: POST %s with %s',
  async (path, name) => {
    const { browser, refused } = openDemo()
    await browser.submit(`${DEMO}/use`, {})
    const problem = `${name} is 4097 bytes long; at most 4096 are taken`
    expect(await refused(path, { [name]: 'x'.repeat(4_097) })).toContain(problem)
    await sandbox.request
      .post(`${DEMO}/${path}`)
      .set('Origin', 'https://evil.example')
      .type('form')
      .expect(403)
  },
)
