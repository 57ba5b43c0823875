import { beforeEach, expect, test } from 'vitest'
import { RECORDING_NAMES } from '../../../../src/server/control/contract/recording-formats.ts'
import { byTestId, tagsOf, textOf } from '../../../support/markup.ts'
import { createRelyingParty } from '../../../support/relying-party.ts'
import { type Changes, createRequest, useRequest } from '../../../support/requests.ts'
import { startSandbox, type TestSandbox } from '../../../support/sandbox.ts'

const FLOWS = '/_sandbox/console/flows'
let sandbox: TestSandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
const get = (path: string) => sandbox.request.get(path)
const party = () => createRelyingParty(sandbox)
const open = (changes: Changes = {}) => get('/v1/oidc/use').query(useRequest(changes))
const pageOf = async (id = 'f1') => (await get(`${FLOWS}/${id}`)).text
const shown = async (id?: string) => textOf(await pageOf(id))
const hrefsIn = (page: string) => tagsOf(page).flatMap(({ attributes }) => attributes['href'] ?? [])
const hrefOf = (page: string, testId: string) => byTestId(page, testId)[0]?.attributes['href'] ?? ''
const read = async (query = '') => (await get(FLOWS + query)).text
const idsOn = (page: string) => [...page.matchAll(/data-testid="flow-(f\d+)"/g)].map(([, id]) => id)

test.each([
  ['', ['f2', 'f1']],
  ['?state=good', ['f1']],
  ['?status=error', ['f2']],
  ['?q=GOOD', ['f1']],
  ['?q=nowhere', []],
  ['?status=unknown', ['f2', 'f1']],
])('The flows page with %j shows the flows that match', async (...row) => {
  const [query, ids] = row
  await party().use({ state: 'good' })
  await get('/v1/oidc/use').query('state=bad')
  const page = await read(query)
  expect(idsOn(page)).toEqual(ids)
  expect(textOf(page).includes('Show every flow')).toBe(ids.length < 2)
  if (ids.includes('f1'))
    expect(textOf(page)).toMatch(/Use f1 .*adult-passport: 13 yes, 16 yes, 18 yes.* ok/)
  if (ids.includes('f2')) expect(textOf(page)).toMatch(/Use f2 .*client_id is missing.* error /)
})

test('The flows page shows why a request that breaks no rule is refused', async () => {
  await open({ sandbox_persona: 'teen-61' })
  expect(textOf(await read())).toMatch(/E1 refused with 400: .*there is no persona "teen-61"/)
  expect(await shown('f1')).toMatch(/there is no persona "teen-61".*Correct the request/)
})

test('The flows page leads to the older flows of the same search', async () => {
  for (let index = 1; index <= 31; index += 1) await party().use({ state: `state-${index}` })
  const first = await read('?flow=use&q=state')
  expect(idsOn(first)).toHaveLength(30)
  expect(hrefsIn(first).filter((href) => href.includes('before='))).toEqual([
    '?flow=use&q=state&before=f2',
  ])
  expect(idsOn(await read('?flow=use&q=state&before=f2'))).toEqual(['f1'])
})

test('The page of a flow explains its token', async () => {
  await party().obtainToken()
  const text = await shown()
  expect(text).toMatch(
    /child-12.*needs 18 by age_thresholds\[2\], has 12.*call E5 with the access token within 10800 seconds.*req_claims_hash/,
  )
})

test('The page of a flow repeats each call without a secret', async () => {
  await party().obtainToken()
  const text = await shown()
  expect(text).toContain(
    `curl -i '${sandbox.baseUrl}/v1/oidc/use/token' \\ -u 'ak_test_sandbox:'"$AGE_CLIENT_SECRET"`,
  )
  expect(text).not.toContain('sk_test_sandbox')
})

const DENIED =
  /^(?!.*mark yes).*Outcome<.*access_denied<.*mark declined">302, error=access_denied</s

test.each([
  [
    'begins with why the answer is what it is, and what decided it',
    { sandbox_persona: 'teen-16' },
    /ok teen-16: 13 yes, 16 yes, 18 no, 21 no 13 yes \S+: needs 13, has 16 .* 18 no \S+: needs 18, has 16 .*Decided by query parameter sandbox_persona.*What a correct client does next/,
  ],
  [
    'decodes claims, and the parameters of a redirect',
    { state: 'a b', claims: '{"age_thresholds":[18]}' },
    /claims \{ "age_thresholds": \[ 18 \] \}.*with these parameters in its fragment: id_token Its payload, decoded \{ .*"age_thresholds": \{ "18": true \}.*state a b Repeat/,
  ],
  [
    'says once that the answer is forced, and that a client refuses it',
    { sandbox_outcome: 'id_token.expired' },
    /^(?!.*A correct client).* forced id_token\.expired, a correct client refuses it .* refuse The token expired an hour ago/,
  ],
  [
    'says that a client accepts the answer',
    { sandbox_outcome: 'verified' },
    /accept A correct client accepts it/,
  ],
  ['shows an error in a redirect as its outcome', { sandbox_outcome: 'access_denied' }, DENIED],
  ['shows an id_token of a query', { response_mode: 'query' }, /data-testid="id-token"/],
  ['shows an id_token of a posted form', { response_mode: 'form_post' }, /data-testid="id-token"/],
  [
    'advises to correct a refused request',
    { claims: '{}' },
    /^(?!.*offer to try again).*Correct the request by its/,
  ],
])('The page of a flow %s', async (_does, changes, expected) => {
  await party().use(changes)
  // In its text or in its markup.
  expect(expect.stringMatching(expected)).toBeOneOf([await shown(), await pageOf()])
})

test('The page of a flow advises to begin again when the request expired, as the control API does', async () => {
  await open().expect(200)
  expect(await shown()).toMatch(
    / waiting for the user since .*Wait: the user has not come back yet/,
  )
  await sandbox.clock.advance(3600)
  expect(await shown()).toMatch(/^(?!.*Wait: ).*Begin the flow again/)
  expect((await sandbox.flows.get('f1')).next_steps).toEqual([
    expect.stringContaining('Begin the flow again'),
  ])
  await sandbox.clock.advance(3600)
  expect(byTestId(await pageOf(), 'answer-here')).toHaveLength(0)
  expect(await shown()).toContain('It waits no longer')
})

test('The page of a flow says how many calls of the flow the page shows', async () => {
  const uri = await party().obtainRequestUri()
  for (let n = 1; n <= 102; n++) await get('/v1/oidc/create').query({ ...createRequest(uri), n })
  const flow = (await get('/_sandbox/flows/f1')).body
  expect(flow.calls).toHaveLength(100)
  expect(flow.dropped_calls).toBe(3)
  expect(await shown()).toMatch(
    /The last 20 of 103\. The first 3 are kept no longer\..* n 83 .* n 102 /,
  )
})

test('The page of a flow that waits leads to its choice page, which this browser then answers', async () => {
  await open({ state: 'waits' })
  const page = await pageOf()
  expect(byTestId(page, 'answer-here')).toHaveLength(1)
  const transaction = /name="transaction" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const post = (path: string, persona?: string) =>
    sandbox.request.post(`/v1/oidc/use/${path}`).type('form').send({ transaction, persona })
  expect((await post('continue').expect(200)).text).toContain(transaction)
  await post('choice', 'teen-16').expect(303)
  expect(byTestId(await pageOf(), 'answer-here')).toHaveLength(0)
  expect(await shown()).toContain('Decided by the choice page')
  await get('/t/qa/v1/oidc/use').query(useRequest())
  expect((await get(`/t/qa${FLOWS}/f1`)).text).toContain('action="/t/qa/v1/oidc/use/continue"')
})

test('The page of a Use flow runs it again by a link, also with the decision that a header made', async () => {
  await open().set('X-Sandbox-Persona', 'teen-16')
  const page = await pageOf()
  await get(hrefOf(page, 'run-again')).expect(200)
  await get(hrefOf(page, 'run-decided')).expect(302)
  // The last one names its decision itself.
  expect(byTestId(await pageOf('f3'), 'run-decided')).toEqual([])
  const flows = (await sandbox.flows.list()).map(
    ({ id, persona = 'nobody' }) => `${id} by ${persona}`,
  )
  expect(flows).toEqual(['f3 by teen-16', 'f2 by nobody', 'f1 by teen-16'])
})

test('The page of a pushed request opens the request when no browser has', async () => {
  const uri = await party().obtainRequestUri()
  const href = hrefOf(await pageOf(), 'open-here')
  expect(new URLSearchParams(href.split('?')[1]).get('request_uri')).toBe(uri)
  await get(href).expect(200)
  await get(`${href}&sandbox_persona=no-age-key`)
})

test('The page of a used request pushes the request again by commands', async () => {
  await party().create(await party().obtainRequestUri())
  expect(await shown()).toMatch(/A request_uri serves once.*request_uri=REQUEST_URI/)
})

test('The page of an expired request opens the request no longer', async () => {
  await party().obtainRequestUri()
  expect(await shown()).toMatch(/ waiting for the browser at E3 since /)
  await sandbox.clock.advance(3600)
  expect(byTestId(await pageOf(), 'open-here')).toEqual([])
  expect(await shown()).toContain('It waits no longer')
})

test('The page of a flow leads to its neighbours in a story', async () => {
  await party().use({ sandbox_persona: 'no-age-key', can_create: 'true' })
  await party().create(await party().obtainRequestUri(), { sandbox_persona: 'no-age-key' })
  await party().use({ sandbox_persona: 'no-age-key' })
  expect(await shown('f2')).toContain('Before this: f1 After this: f3')
})

test('The page of an unknown flow shows the newest flows', async () => {
  await party().use({ sandbox_persona: 'teen-16' })
  const { text } = await get(`${FLOWS}/f99`).expect(404)
  expect(textOf(text)).toMatch(/Flows .* There is no flow f99 .* All flows .* Use f1 teen-16 /)
  expect(hrefsIn(text)).toEqual(expect.arrayContaining([FLOWS, `${FLOWS}/f1`]))
})

test('The page of an unknown flow shows its id as text', async () => {
  await get(`${FLOWS}/${encodeURIComponent('<i>')}`).expect(404, /There is no flow &lt;i&gt;/)
})

test('The page of a flow has one line for each age', async () => {
  await party().use({ sandbox_persona: 'adult-six-methods', claims: '{"age_thresholds":[21,70]}' })
  const [trace = ''] = /<div class="traces"[\s\S]*?<\/div>/.exec(await pageOf()) ?? []
  const lines = [...trace.matchAll(/<summary>([\s\S]*?)<\/summary>/g)].map(([, line = '']) =>
    textOf(line).trim(),
  )
  expect(lines).toEqual([
    expect.stringMatching(/^21 yes \w+: needs 21, has \d+$/),
    expect.stringMatching(/^70 no \w+: needs 70, has \d+$/),
  ])
})

test('The page of a flow folds the checks of all signals', async () => {
  await party().use({ sandbox_persona: 'adult-six-methods', claims: '{"age_thresholds":[21,70]}' })
  const [trace = ''] = /<div class="traces"[\s\S]*?<\/div>/.exec(await pageOf()) ?? []
  expect(
    tagsOf(trace)
      .filter(({ name }) => name === 'details')
      .map(({ attributes }) => 'open' in attributes),
  ).toEqual([false, false])
  expect(textOf(trace).match(/ (?:passes|fails) /g)).toHaveLength(12)
})

test.each([
  ['a refused request', { nonce: undefined }, 'nonce is missing', [true, false]],
  ['an unknown persona', { sandbox_persona: 'teen-61' }, 'there is no persona', [true, false]],
  ['a decline', { sandbox_outcome: 'access_denied' }, 'the user went back', [false, false]],
  ['a verified age', { sandbox_persona: 'teen-16' }, 'needs 21', [false, true]],
])('The page of a flow with %s says its reason once', async (...row) => {
  const [, changes, reason, [isSentOpen, isAnsweredOpen]] = row
  await open(changes)
  const page = await pageOf()
  const opened = tagsOf(page).filter(
    ({ name, attributes }) => name === 'details' && 'open' in attributes,
  )
  const ids = opened.map(({ attributes }) => attributes['id'])
  expect(ids.includes('sent-0')).toEqual(isSentOpen)
  expect(ids.includes('answered-0')).toEqual(isAnsweredOpen)
  // What is folded repeats what was answered.
  const unfolded = textOf(
    page.replaceAll(
      /<details(?![^>]* open)[^>]*>[\s\S]*?(?:<summary>([\s\S]*?)<\/summary>)[\s\S]*?<\/details>/g,
      '$1',
    ),
  )
  expect(unfolded.split(reason)).toHaveLength(2)
})

test('The page of a flow links the flow as a file of each format', async () => {
  await party().use({ sandbox_persona: 'teen-16' })
  const links = tagsOf(await pageOf()).filter(({ attributes }) =>
    attributes['href']?.includes('?as='),
  )
  expect(links.map((link) => link.attributes['href'])).toEqual(
    RECORDING_NAMES.map((as) => `/_sandbox/flows/f1?as=${as}`),
  )
  for (const { attributes } of links) {
    const { headers } = await get(attributes['href'] ?? '').expect(200)
    expect(headers['content-disposition']).toContain(attributes['download'])
  }
})

test('The page of a flow with large requests stays below 100 KB with all its parts', async () => {
  await party().use({ sandbox_outcome: 'id_token.huge', response_mode: 'form_post' })
  const claims = JSON.stringify({ age_thresholds: Array.from({ length: 60 }, (_, index) => index) })
  for (let count = 0; count < 50; count++) await party().use({ state: 's'.repeat(3_000), claims })
  for (let count = 0; count < 50; count++)
    await open({ claims: '{"age_treshold":[18]}', nonce: undefined })
  for (const id of ['f1', 'f2', '']) {
    const page = await pageOf(id)
    const addresses = tagsOf(page).flatMap(
      ({ name, attributes: { href, src } }) => (name === 'link' ? href : src) ?? [],
    )
    const parts = await Promise.all(
      [...new Set(addresses)].map((address) => get(address).expect(200)),
    )
    const lengths = parts.map(({ headers }) => Number(headers['content-length']))
    expect(
      lengths.reduce((sum, length) => sum + length, Buffer.byteLength(page)),
      `${id}: ${addresses}`,
    ).toBeLessThan(100_000)
  }
})
