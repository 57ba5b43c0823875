import { describe, expect, test } from 'vitest'
import { readError } from '../support/error-body.ts'
import { openEndings, press, submit } from '../support/forms.ts'
import { byTestId } from '../support/markup.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { type Changes, useRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const ROWS = [
  'id_token.replayed',
  'id_token.nonce_of_earlier_flow',
  'callback.state_of_earlier_flow',
  'callback.replayed',
] as const

const NONE = 'is not possible here: this client has no earlier Use flow that ended well'

const authorize = (sandbox: TestSandbox, changes: Changes = {}) =>
  sandbox.request.get('/v1/oidc/use').query(useRequest(changes))

const EARLIER = { state: 'earlier', nonce: 'earlier' }

describe.each(ROWS)('%s', (outcome) => {
  test('is refused with the reason when the client has no earlier flow', async () => {
    const sandbox = await startSandbox()
    const shown = await authorize(sandbox, { sandbox_outcome: outcome })
    expect([shown.status, shown.text]).toEqual([400, expect.stringContaining(`${outcome} ${NONE}`)])
    const asked = await authorize(sandbox, { sandbox_outcome: outcome }).set('Accept', 'application/json')
    expect([asked.status, readError(asked).error_description]).toEqual([400, expect.stringContaining(NONE)])
  })

  test('uses an expectation up that has no earlier flow', async () => {
    const sandbox = await startSandbox()
    await sandbox.next({ outcome })
    expect((await authorize(sandbox)).status).toBe(400)
    expect(await sandbox.expectations.list()).toEqual([])
  })

  test('is offered on the choice page once there is an earlier flow, and chosen before leaves the page as it was', async () => {
    const sandbox = await startSandbox()
    const endings = async () => openEndings(sandbox, (await authorize(sandbox)).text)
    const offers = (page: string) => byTestId(page, `outcome-${outcome}`).length
    const page = await endings()
    expect(offers(page)).toBe(0)
    const form = press(page, 'outcome-id_token.expired')
    form.fields.set('outcome', outcome)
    const refused = await submit(sandbox, form)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(NONE)])
    await createRelyingParty(sandbox).use(EARLIER)
    expect((await submit(sandbox, form)).status).toBe(303)
    expect(offers(await endings())).toBe(1)
  })

  test.each([
    ['of another client', {}, { clientId: 'shop', clientSecret: 'not-a-real-secret' }],
    ['that was declined', { sandbox_outcome: 'access_denied' }, undefined],
    ['whose answer was spoiled', { sandbox_outcome: 'id_token.expired' }, undefined],
    ['with the same nonce', { nonce: 'nonce-1' }, undefined],
  ])('does not count an earlier flow %s', async (_which, changes, client) => {
    const redirectUris = ['http://localhost:3000/callback']
    const sandbox = await startSandbox({ clients: client === undefined ? [] : [{ ...client, redirectUris }] })
    await createRelyingParty(sandbox, client).use({ ...EARLIER, ...changes })
    expect((await authorize(sandbox, { sandbox_outcome: outcome })).status).toBe(400)
  })
})

describe('A client that sends the same state with every request', () => {
  const afterOne = async (outcome: string) => {
    const sandbox = await startSandbox()
    await createRelyingParty(sandbox).use({ ...EARLIER, state: 'state-1' })
    return authorize(sandbox, { sandbox_outcome: outcome })
  }

  test.each(['id_token.replayed', 'id_token.nonce_of_earlier_flow', 'callback.replayed'])(
    'can have %s: its nonce is another one',
    async (outcome) => {
      expect((await afterOne(outcome)).status).toBe(302)
    },
  )

  test('cannot have callback.state_of_earlier_flow, which would be right', async () => {
    const shown = await afterOne('callback.state_of_earlier_flow')
    expect([shown.status, shown.text]).toEqual([400, expect.stringContaining('has the state of the earlier flow')])
  })
})
