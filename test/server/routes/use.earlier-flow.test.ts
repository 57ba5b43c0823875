import { expect, test } from 'vitest'
import { readError } from '../../support/error-body.ts'
import { openEndings, press, submit } from '../../support/forms.ts'
import { byTestId, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { type Changes, useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const SHOP = { clientId: 'shop', clientSecret: 'not-a-real-secret' }
const sandbox = await shareSandbox({
  clients: [{ ...SHOP, redirectUris: ['http://localhost:3000/callback'] }],
})
const OF_EARLIER = ['id_token.nonce_of_earlier_flow', 'callback.state_of_earlier_flow']
const ROWS = ['id_token.replayed', 'callback.replayed', ...OF_EARLIER]
const NONE = 'is not possible here: this client has no earlier Use flow that ended well'
const EARLIER = { state: 'earlier', nonce: 'earlier' }

const authorize = (changes: Changes = {}) =>
  sandbox.request.get('/v1/oidc/use').query(useRequest(changes))

test.each(ROWS)(
  'Without an earlier flow of the client %s is refused with the reason, or queued',
  async (outcome) => {
    const shown = await authorize({ sandbox_outcome: outcome })
    expect(shown.status).toBe(400)
    expect(shown.text).toContain(`${outcome} ${NONE}`)
    const asked = await authorize({ sandbox_outcome: outcome }).set('Accept', 'application/json')
    expect(asked.status).toBe(400)
    expect(readError(asked).error_description).toContain(NONE)
    await sandbox.next({ outcome })
    await authorize().expect(400)
    expect(await sandbox.expectations.list()).toEqual([])
  },
)

test.each(ROWS)(
  'The endings offer %s once there is an earlier flow, and refuse that before',
  async (outcome) => {
    const endings = async () => openEndings(sandbox, (await authorize()).text)
    const page = await endings()
    const offered = (text: string) =>
      byTestId(text, `outcome-${outcome}`).map(({ attributes }) => 'disabled' in attributes)
    expect(offered(page)).toEqual([true])
    expect(textOf(page)).toContain('needs an earlier Use flow of the client that ended well')
    const form = press(page, 'outcome-id_token.expired')
    form.fields.set('outcome', outcome)
    const refused = await submit(sandbox, form)
    expect(refused.status).toBe(400)
    expect(refused.text).toContain(NONE)
    await createRelyingParty(sandbox).use(EARLIER)
    expect((await submit(sandbox, form)).status).toBe(303)
    expect(offered(await endings())).toEqual([false])
  },
)

test.each([
  ['of another client', {}, SHOP],
  ['that was declined', { sandbox_outcome: 'access_denied' }, undefined],
  ['whose answer was spoiled', { sandbox_outcome: 'id_token.expired' }, undefined],
  ['with the same nonce', { nonce: 'nonce-1' }, undefined],
])('An earlier flow %s cannot be replayed', async (_which, changes, client) => {
  await createRelyingParty(sandbox, client).use({ ...EARLIER, ...changes })
  for (const outcome of ROWS) await authorize({ sandbox_outcome: outcome }).expect(400)
})

test('A client that sends the same state with every request can have all of an earlier flow but its state', async () => {
  for (const outcome of ROWS) {
    await sandbox.reset()
    await createRelyingParty(sandbox).use({ ...EARLIER, state: 'state-1' })
    const { status, text } = await authorize({ sandbox_outcome: outcome })
    if (outcome !== 'callback.state_of_earlier_flow') expect(status, outcome).toBe(302)
    else {
      expect(status).toBe(400)
      expect(text).toContain('has the state of the earlier flow')
    }
  }
})
