import { describe, expect, test } from 'vitest'
import { createRelyingParty } from '../support/relying-party.ts'
import { type Changes, createRequest, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const CLIENT = {
  clientId: 'shop',
  clientSecret: 'secret',
  redirectUris: ['http://localhost:3000/callback'],
  persona: 'turned-18-today',
}

/** The decision sources, the strongest first, each with a persona and an outcome of its own. */
const SOURCES = [
  { by: 'query', persona: 'adult-passport', outcome: 'access_denied' },
  { by: 'header', persona: 'adult-face', outcome: 'server_error' },
  { by: 'expectation', persona: 'adult-email', outcome: 'temporarily_unavailable' },
  { by: 'cookie', persona: 'teen-16', outcome: 'unauthorized_client' },
  { by: 'client', persona: CLIENT.persona },
  { by: 'default', persona: 'child-12', outcome: 'invalid_request' },
] as const
type Source = (typeof SOURCES)[number]['by']

/** Sends a request with these decision sources. Returns the persona or outcome of its flow, or `page`. */
async function decide(flow: 'use' | 'create', sources: readonly Source[], part: 'persona' | 'outcome') {
  const namedBy = (by: Source) => {
    const source = SOURCES.find((one) => one.by === by)
    const value = part === 'persona' ? source?.persona : source && 'outcome' in source ? source.outcome : undefined
    return sources.includes(by) ? value : undefined
  }
  const decisionBy = (by: Source) => ({ [part]: namedBy(by) })
  const byDefault = namedBy('default')
  const { persona: _own, ...withoutPersona } = CLIENT
  const sandbox = await startSandbox({
    clients: [sources.includes('client') ? CLIENT : withoutPersona],
    ...(byDefault === undefined ? {} : { [part]: byDefault }),
  })
  if (namedBy('expectation')) await sandbox.next({ flow, ...decisionBy('expectation') })
  const headers = {
    ...(namedBy('header') ? { [`X-Sandbox-${part}`]: namedBy('header') ?? '' } : {}),
    ...(namedBy('cookie') ? { Cookie: `agekey_sandbox_${part}=${namedBy('cookie')}` } : {}),
  }
  const changes: Changes = { client_id: 'shop', [`sandbox_${part}`]: namedBy('query') }
  const rp = createRelyingParty(sandbox, { clientId: 'shop', clientSecret: 'secret' })
  const query = flow === 'use' ? useRequest(changes) : createRequest(await rp.obtainRequestUri(), changes)
  const { status } = await sandbox.request.get(`/v1/oidc/${flow}`).set(headers).query(query)
  const decided = await sandbox.flows.last({ flow })
  return status === 200 ? 'page' : decided?.[part]
}

describe.each(['use', 'create'] as const)('in the %s flow', (flow) => {
  const order = SOURCES.map(({ by }) => by)

  test.each(SOURCES.map(({ by, persona }) => [by, persona] as const))(
    'the persona of %s decides before those of all weaker sources',
    async (by, persona) => {
      expect(await decide(flow, order.slice(order.indexOf(by)), 'persona')).toBe(persona)
    },
  )

  test.each(SOURCES.flatMap((source) => ('outcome' in source ? [[source.by, source.outcome] as const] : [])))(
    'the outcome of %s decides before those of all weaker sources',
    async (by, outcome) => {
      expect(await decide(flow, order.slice(order.indexOf(by)), 'outcome')).toBe(outcome)
    },
  )

  test('the page decides when no other source does', async () => {
    expect(await decide(flow, [], 'persona')).toBe('page')
  })
})

test('persona and outcome may come from different sources', async () => {
  const sandbox = await startSandbox({ persona: 'teen-16' })
  await sandbox.next({ outcome: 'verified' })
  const query = useRequest({ sandbox_persona: 'child-12' })
  await sandbox.request.get('/v1/oidc/use').query(query)
  expect(await sandbox.flows.last()).toMatchObject({ persona: 'child-12', outcome: 'verified' })
})

test('an outcome that needs a persona and finds none takes adult-passport', async () => {
  const sandbox = await startSandbox()
  await sandbox.request.get('/v1/oidc/use').query(useRequest({ sandbox_outcome: 'verified' }))
  expect(await sandbox.flows.last()).toMatchObject({ persona: 'adult-passport' })
})

describe.each(['use', 'create'] as const)('an unknown name on %s', (flow) => {
  test.each([
    ['query', { sandbox_persona: 'teen-61' }, {}, 'teen-16'],
    ['query', { sandbox_outcome: 'acess_denied' }, {}, 'access_denied'],
    ['query', { sandbox_person: 'teen-16' }, {}, 'sandbox_persona'],
    ['header', {}, { 'X-Sandbox-Persona': 'teen-61' }, 'teen-16'],
    ['header', {}, { 'X-Sandbox-Outcome': 'acess_denied' }, 'access_denied'],
    ['cookie', {}, { Cookie: 'agekey_sandbox_persona=teen-61' }, 'teen-16'],
    ['cookie', {}, { Cookie: 'agekey_sandbox_outcome=acess_denied' }, 'access_denied'],
  ])(
    'in the %s is a page with near misses, JSON when asked for, never a redirect',
    async (_, changes, headers, near) => {
      const sandbox = await startSandbox()
      const uri = await createRelyingParty(sandbox).obtainRequestUri()
      const query = flow === 'use' ? useRequest(changes) : createRequest(uri, changes)
      const page = await sandbox.request.get(`/v1/oidc/${flow}`).set(headers).query(query)
      expect([page.status, page.headers.location]).toEqual([400, undefined])
      expect(page.headers['content-type']).toContain('text/html')
      expect(page.text).toContain(near)
      const json = await sandbox.request
        .get(`/v1/oidc/${flow}`)
        .set({ ...headers, Accept: 'application/json' })
        .query(query)
      expect(json.body).toMatchObject({ error: 'invalid_request', suggestions: expect.arrayContaining([near]) })
    },
  )
})
