import { describe, expect, test } from 'vitest'
import type { Flow } from '../../src/sandbox/journal/journal.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, useRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const idsOf = async (sandbox: TestSandbox, query: string) =>
  ((await sandbox.request.get('/_sandbox/flows').query(query)).body as { flows: Flow[] }).flows.map(({ id }) => id)

/** Three ended flows and one that waits on the page. */
async function startWithFlows() {
  const sandbox = await startSandbox()
  const rp = createRelyingParty(sandbox)
  await rp.use({ state: 'one', sandbox_persona: 'teen-16' })
  await rp.use({ state: 'two', sandbox_outcome: 'access_denied' })
  await rp.create(await rp.obtainRequestUri({ state: 'three' }))
  await sandbox.request.get('/v1/oidc/use').query(useRequest({ state: 'four' }))
  return sandbox
}

describe('GET flows', () => {
  test.each([
    ['', ['f4', 'f3', 'f2', 'f1']],
    ['flow=use', ['f4', 'f2', 'f1']],
    ['flow=create', ['f3']],
    ['state=two', ['f2']],
    ['persona=teen-16', ['f1']],
    ['outcome=access_denied', ['f2']],
    ['client_id=ak_test_sandbox&state=three', ['f3']],
    ['client_id=other', []],
    ['status=error', ['f2']],
    ['status=waiting', ['f4']],
    ['status=ok&flow=use', ['f1']],
    ['q=TEEN-16', ['f1']],
    ['q=no-such-text', []],
    ['q=localhost&limit=1', ['f4']],
    ['status=error&wait=0', ['f2']],
    ['after=f2', ['f4', 'f3']],
    ['after=f99', []],
    ['limit=2', ['f4', 'f3']],
    ['limit=2000&flow=use', ['f4', 'f2', 'f1']],
    ['limit=1&wait=0', ['f3']],
    ['limit=1&since=f0', ['f1']],
    ['wait=0', ['f3', 'f2', 'f1']],
    ['wait=1&after=f1', ['f3', 'f2']],
    ['since=f0', ['f1', 'f2', 'f3']],
    ['since=f1', ['f2', 'f3']],
    ['since=f0&flow=use&after=f1', ['f2']],
    ['since=f4', []],
    ['since=now', []],
    ['since=now&wait=0', []],
  ])('with %j gives what matches, newest first, or with since in the order in which they ended', async (query, ids) => {
    expect(await idsOf(await startWithFlows(), query)).toEqual(ids)
  })

  test('with wait answers as soon as a flow that matches has ended', async () => {
    const sandbox = await startSandbox()
    const waiting = idsOf(sandbox, 'wait=10&outcome=access_denied')
    await createRelyingParty(sandbox).use({ sandbox_outcome: 'server_error' })
    await createRelyingParty(sandbox).use({ sandbox_outcome: 'access_denied' })
    expect(await waiting).toEqual(['f2'])
  })

  test('with since=now waits for a flow that ends after the call, also one that had begun before it', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    await sandbox.clock.freeze()
    await rp.use({ state: 'before' })
    const uri = await rp.obtainRequestUri()
    const waiting = idsOf(sandbox, 'wait=10&since=now')
    await expect.poll(() => sandbox.calls.length).toBeGreaterThan(0)
    await rp.create(uri)
    expect(await waiting).toEqual(['f2'])
  })

  test('names the flow that ended last', async () => {
    const lastOf = async (sandbox: TestSandbox) => (await sandbox.request.get('/_sandbox/flows')).body.last_ended
    expect(await lastOf(await startSandbox())).toBe('f0')
    expect(await lastOf(await startWithFlows())).toBe('f3')
  })

  test('with wait gives an empty list when the time is over', async () => {
    expect(await idsOf(await startSandbox(), 'wait=0.05')).toEqual([])
  })

  test.each([
    'wait=61',
    'wait=-1',
    'wait=soon',
    'after=2',
    'since=2',
    'since=yesterday',
    'flow=ues',
    'state=a&state=b',
    'limt=1',
  ])('refuses %j', async (query) => {
    const sandbox = await startSandbox()
    await sandbox.request.get('/_sandbox/flows').query(query).expect(400)
  })

  test.each(['0', '-1', '2001', '1.5', 'all', ''])('refuses limit=%s and says what is allowed', async (limit) => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request.get('/_sandbox/flows').query({ limit }).expect(400)
    expect(answer.body).toMatchObject({
      error: 'invalid_request',
      error_description: `limit: must be a whole number from 1 to 2000, not ${JSON.stringify(limit)}`,
    })
  })

  test('without limit gives the newest fifty, and open flows take no place among those that are waited for', async () => {
    const sandbox = await startSandbox()
    await createRelyingParty(sandbox).use()
    for (let open = 0; open < 60; open++) await sandbox.request.get('/v1/oidc/use').query(useRequest())
    const ids = await idsOf(sandbox, '')
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([50, 'f61', 'f12'])
    expect(await idsOf(sandbox, 'limit=2000')).toHaveLength(61)
    expect(await idsOf(sandbox, 'wait=0')).toEqual(['f1'])
  })

  test.each([
    ['persona=teen-61', 'teen-16'],
    ['outcome=acess_denied', 'access_denied'],
  ])('with the misspelt name %s is refused, and waits for nothing', async (query, suggestion) => {
    const sandbox = await startSandbox()
    const answer = await sandbox.request.get('/_sandbox/flows').query(`${query}&wait=60`).expect(400)
    expect(answer.body).toMatchObject({ suggestions: expect.arrayContaining([suggestion]) })
  })

  test('finds flows of a persona that was removed', async () => {
    const sandbox = await startWithFlows()
    await sandbox.personas.remove('teen-16')
    expect(await idsOf(sandbox, 'persona=teen-16')).toEqual(['f1'])
  })
})

describe('a flow', () => {
  test('links what the user chose to the callback, the token and the upgrade', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    await rp.upgrade(await rp.obtainToken())
    const flows = await sandbox.flows.list()
    expect(flows).toEqual([expect.not.objectContaining({ trace: expect.anything() })])
    expect(await sandbox.flows.last()).toMatchObject({
      flow: 'use',
      tenant: 'default',
      client_id: 'ak_test_sandbox',
      persona: 'child-12',
      age_thresholds: { 18: false },
      trace: expect.any(Array),
      ended_at: expect.any(String),
      calls: [
        { endpoint: 'E1', method: 'GET', status: 302 },
        { endpoint: 'E4', method: 'POST', status: 200 },
        { endpoint: 'E5', method: 'POST', status: 200, parameters: { authorization_details: [ageSignal()] } },
      ],
    })
  })

  test('of Create links the pushed request, the page, the choice and the callback', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    const uri = await rp.obtainRequestUri()
    const page = await sandbox.request.get('/v1/oidc/create').query(
      String(
        new URLSearchParams({
          scope: 'openid',
          response_type: 'none',
          client_id: 'ak_test_sandbox',
          redirect_uri: 'http://localhost:3000/callback',
          request_uri: uri,
        }),
      ),
    )
    const transaction = /name="transaction" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    await sandbox.request.post('/v1/oidc/create/choice').type('form').send({ transaction, outcome: 'access_denied' })
    const [flow, ...others] = await sandbox.flows.list()
    expect(others).toEqual([])
    expect(flow?.calls.map(({ endpoint, status }) => [endpoint, status])).toEqual([
      ['E2', 201],
      ['E3', 200],
      ['choice', 303],
    ])
    expect(flow).toMatchObject({ flow: 'create', outcome: 'access_denied', state: 'state-1' })
  })

  test('shows the code and the id_token, and masks every secret', async () => {
    const sandbox = await startSandbox({ controlToken: 'control-token-1' })
    const rp = createRelyingParty(sandbox)
    const token = await rp.obtainToken()
    await rp.upgrade(token)
    await rp.push()
    const text = (await sandbox.request.get('/_sandbox/flows')).text
    expect(text).toContain('id_token=')
    expect(text).toContain('code=')
    const basic = btoa('ak_test_sandbox:sk_test_sandbox')
    for (const secret of ['sk_test_sandbox', basic, token, 'control-token-1']) expect(text).not.toContain(secret)
    expect(text).toContain('"client_secret":"***"')
    expect(text).toContain('"access_token":"***"')
  })

  test('holds the title of a page as plain text', async () => {
    const sandbox = await startSandbox({
      clients: [
        {
          clientId: 'chips',
          clientSecret: 'sk_chips',
          name: 'Fish & "Chips"',
          redirectUris: ['http://localhost:3000/callback'],
        },
      ],
    })
    await sandbox.request.get('/v1/oidc/use').query(useRequest({ client_id: 'chips' }))
    const { flows } = (await sandbox.request.get('/_sandbox/flows')).body as { flows: Flow[] }
    expect(flows[0]?.calls[0]?.response).toMatchObject({ page: 'Fish & "Chips" wants to check your age' })
  })

  test('shows status 0 for a call whose connection was closed without a response, and has ended by it', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    const token = await rp.obtainToken()
    for (const outcome of ['par.dropped', 'upgrade.dropped']) await sandbox.next({ outcome })
    await expect(rp.push()).rejects.toThrow()
    await expect(rp.upgrade(token)).rejects.toThrow()
    const [pushed, used] = await sandbox.flows.list()
    expect(pushed).toMatchObject({
      outcome: 'par.dropped',
      ended_at: expect.any(String),
      calls: [{ endpoint: 'E2', status: 0, response: { dropped: true } }],
    })
    expect(used?.calls.at(-1)).toMatchObject({ endpoint: 'E5', status: 0 })
    expect(sandbox.calls.map(({ status }) => status)).toEqual([302, 200, 0, 0])
    const page = await sandbox.request.get(`/_sandbox/console/flows/${pushed?.id}`)
    expect(page.text).toContain('0 (dropped)')
    const list = await sandbox.request.get('/_sandbox/console/flows')
    expect(list.text).toMatch(/forced: par\.dropped, a correct client [\s\S]*<span class="mark no">error<\/span>/)
  })

  test('that is unknown is a 404', async () => {
    const sandbox = await startSandbox()
    expect((await sandbox.request.get('/_sandbox/flows/f7')).body).toMatchObject({ error: 'not_found' })
  })
})

describe('GET events', () => {
  /** Reads the stream until it holds `count` events. */
  async function readEvents(sandbox: TestSandbox, count: number, act: () => Promise<unknown>) {
    const abort = new AbortController()
    const response = await fetch(`${sandbox.url}/_sandbox/events`, { signal: abort.signal })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const events = () =>
      [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, type, data = '{}']) => ({ type, ...JSON.parse(data) }))
    const acting = act()
    while (events().length < count) text += (await reader?.read())?.value ?? ''
    await acting
    abort.abort()
    return events()
  }

  test('sends calls, flows and resets, each with the id of its flow', async () => {
    const sandbox = await startSandbox()
    const events = await readEvents(sandbox, 4, async () => {
      await createRelyingParty(sandbox).use({ state: 'mine' })
      await sandbox.request.get('/.well-known/jwks.json')
      await sandbox.reset()
    })
    expect(events).toMatchObject([
      { type: 'call', id: 'f1', flow: 'use', endpoint: 'E1', status: 302 },
      { type: 'flow', flow: 'use', id: 'f1', state: 'mine', ended_at: expect.any(String) },
      { type: 'call', id: null, flow: null, endpoint: 'E6', path: '/.well-known/jwks.json' },
      { type: 'reset', id: null, flow: null },
    ])
  })

  test('names the kind of the flow and not of the call, where a call belongs to a flow of another kind', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    const code = await rp.obtainCode()
    const [event] = await readEvents(sandbox, 1, () => rp.exchange(code))
    expect(event).toMatchObject({ type: 'call', id: 'f1', flow: 'use', endpoint: 'E4' })
  })

  test('of one tenant sends nothing about another', async () => {
    const sandbox = await startSandbox()
    const events = await readEvents(sandbox, 1, async () => {
      await sandbox.request.get('/t/other/.well-known/jwks.json')
      await sandbox.reset()
    })
    expect(events).toMatchObject([{ type: 'reset' }])
  })
})

describe('a persona without an age key', () => {
  test.each([
    [{ can_create: 'true' }, 'create_requested'],
    [{}, 'access_denied'],
  ])('sent %j shows the outcome that it had, not the one that was requested', async (parameters, outcome) => {
    const sandbox = await startSandbox()
    await createRelyingParty(sandbox).use({ ...parameters, sandbox_persona: 'no-age-key' })
    expect(await sandbox.flows.last()).toMatchObject({ persona: 'no-age-key', outcome })
  })
})
