import { describe, expect, test } from 'vitest'
import { readError } from '../support/error-body.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const link = ({ baseUrl }: Pick<TestSandbox, 'baseUrl'>, id: string) => `${baseUrl}/_sandbox/console/flows/${id}`

const authorize = (sandbox: TestSandbox, changes: Parameters<typeof useRequest>[0]) =>
  sandbox.request.get('/v1/oidc/use').query(useRequest(changes))

describe('A refused call leads to its flow:', () => {
  test('the error_description of a callback ends with it, and the journal holds what was sent', async () => {
    const sandbox = await startSandbox()
    const { params } = await createRelyingParty(sandbox).use({ nonce: undefined })
    expect(params['error_description']).toMatch(/^USE-08: nonce is missing\. Make a random nonce/)
    expect(params['error_description']?.endsWith(` (flow f1: ${link(sandbox, 'f1')})`)).toBe(true)
    const shown = JSON.stringify((await sandbox.flows.last())?.calls[0]?.response)
    expect(decodeURIComponent(shown)).toContain(params['error_description'])
  })

  test('the description of a callback is shortened, so that the link is whole within 400 characters', async () => {
    const sandbox = await startSandbox()
    const { params } = await createRelyingParty(sandbox).use({ scope: 'openid '.repeat(200), claims: 'age', nonce: '' })
    const description = params['error_description'] ?? ''
    expect(description.length).toBeLessThanOrEqual(400)
    expect(description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]*\/_sandbox\/console\/flows\/f1\)$/)
  })

  test('a JSON body has it in error_uri, too', async () => {
    const sandbox = await startSandbox()
    const body = readError(await createRelyingParty(sandbox).push({ client_secret: 'wrong' }))
    expect(body.error_uri).toBe(link(sandbox, 'f1'))
    expect(body.error_description).toContain(`(flow f1: ${body.error_uri})`)
    expect(JSON.stringify((await sandbox.flows.last())?.calls[0]?.response)).toContain(body.error_uri)
  })

  test('an error page links to it and says its id', async () => {
    const sandbox = await startSandbox()
    const { text, status } = await authorize(sandbox, { client_id: 'no-such-client' })
    expect(status).toBe(400)
    expect(text).toContain(
      `<a href="${link(sandbox, 'f1')}" target="_top" data-testid="flow-link">Flow f1 in the console: everything that this request sent</a>`,
    )
  })

  test('a call that continues a flow leads to that flow, not to a new one', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    const code = await rp.obtainCode()
    await rp.exchange(code)
    expect(readError(await rp.exchange(code)).error_uri).toBe(link(sandbox, 'f1'))
    expect(await sandbox.flows.list()).toHaveLength(1)
  })

  test('a tenant leads to its own console', async () => {
    const sandbox = await startSandbox()
    const { baseUrl } = sandbox.tenant('shop')
    const { text } = await sandbox.request.get('/t/shop/v1/oidc/use').query({}).set('Accept', 'application/json')
    expect(text).toContain(link({ baseUrl }, 'f1'))
    expect(baseUrl).toMatch(/\/t\/shop$/)
  })
})

test('What a persona or an outcome decides is sent as a service sends it, without a link', async () => {
  const sandbox = await startSandbox()
  const { params } = await createRelyingParty(sandbox).use({ sandbox_outcome: 'access_denied' })
  expect(params['error']).toBe('access_denied')
  expect(params['error_description']).not.toContain('/_sandbox/')
})

test('A refused call that belongs to no flow has no link', async () => {
  const sandbox = await startSandbox()
  const answer = await sandbox.request.get('/_sandbox/flows/none').set('Accept', 'application/json')
  expect(readError(answer)).not.toHaveProperty('error_uri')
})
