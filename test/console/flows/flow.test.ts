import { describe, expect, it } from 'vitest'
import { byTestId, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { createRequest, useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

const FLOWS = '/_sandbox/console/flows'

describe('the page of a flow', () => {
  it('explains token, decision and trace, and repeats each call without a secret', async () => {
    const sandbox = await startSandbox()
    const party = createRelyingParty(sandbox)
    await party.obtainToken()
    const page = (await sandbox.request.get(`${FLOWS}/f1`)).text
    const text = textOf(page)
    expect(text).toContain('child-12')
    expect(text).toContain('req_claims_hash')
    expect(text).toMatch(/needs 18 by age_thresholds\[2\], has 12/)
    expect(text).toContain(`curl -i '${sandbox.baseUrl}/v1/oidc/use/token'`)
    expect(text).toContain(`-u 'ak_test_sandbox:'"$AGE_CLIENT_SECRET"`)
    expect(text).not.toContain('sk_test_sandbox')
    expect(textOf(page)).toContain('call E5 with the access token within 10800 seconds')
  })

  it.each(['fragment', 'query', 'form_post'])('shows the id_token of a callback in mode %s', async (mode) => {
    const sandbox = await startSandbox()
    await createRelyingParty(sandbox).use({ response_mode: mode })
    expect(byTestId((await sandbox.request.get(`${FLOWS}/f1`)).text, 'id-token')).toHaveLength(1)
  })

  it.each([
    ['id_token.expired', 'refuse'],
    ['verified', 'accept'],
  ])('says of %s that a correct client has to %s it', async (outcome, verdict) => {
    const sandbox = await startSandbox()
    await createRelyingParty(sandbox).use({ sandbox_outcome: outcome })
    const page = (await sandbox.request.get(`${FLOWS}/f1`)).text
    expect(byTestId(page, 'verdict')).toHaveLength(1)
    expect(textOf(page)).toContain(`${verdict} A correct client ${verdict}s it`)
  })

  it('shows the outcome of a flow without an id_token', async () => {
    const sandbox = await startSandbox()
    await createRelyingParty(sandbox).use({ sandbox_persona: 'no-age-key', can_create: 'true' })
    expect(textOf((await sandbox.request.get(`${FLOWS}/f1`)).text)).toContain('Outcome create_requested')
  })

  it('advises to correct the request, not to try again', async () => {
    const sandbox = await startSandbox()
    await sandbox.request.get('/v1/oidc/use').query(useRequest({ claims: '{}' }))
    const text = textOf((await sandbox.request.get(`${FLOWS}/f1`)).text)
    expect(text).toContain('Correct the request by its findings')
    expect(text).not.toContain('offer to try again')
  })

  it('says how many calls it shows of a page that was reloaded again and again', async () => {
    const sandbox = await startSandbox()
    const uri = await createRelyingParty(sandbox).obtainRequestUri()
    for (let n = 1; n <= 102; n++) await sandbox.request.get('/v1/oidc/create').query(createRequest(uri))
    const flow = (await sandbox.request.get('/_sandbox/flows/f1')).body
    expect([flow.calls.length, flow.dropped_calls]).toEqual([100, 3])
    const text = textOf((await sandbox.request.get(`${FLOWS}/f1`)).text)
    expect(text).toContain('The last 20 of 103. The first 3 are kept no longer.')
  })

  it('answers an unknown flow with a page that names it', async () => {
    const { request } = await startSandbox()
    const answer = await request.get(`${FLOWS}/f99`).expect(404)
    expect(textOf(answer.text)).toContain('there is none with the id "f99"')
  })

  it('stays below 100 KB with large requests and answers', async () => {
    const sandbox = await startSandbox()
    const party = createRelyingParty(sandbox)
    await party.use({ sandbox_outcome: 'id_token.huge', response_mode: 'form_post' })
    const ages = Array.from({ length: 60 }, (_, index) => index)
    for (let count = 0; count < 50; count++) {
      await party.use({ state: 's'.repeat(3_000), claims: JSON.stringify({ age_thresholds: ages }) })
    }
    for (const path of ['/f1', '/f2', '']) {
      const { text } = await sandbox.request.get(`${FLOWS}${path}`)
      expect(Buffer.byteLength(text), path).toBeLessThan(70_000)
    }
  })
})
