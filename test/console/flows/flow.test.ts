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

  it('advises to begin again when the request expired before the user answered, as the control API does', async () => {
    const sandbox = await startSandbox()
    await sandbox.request.get('/v1/oidc/use').query(useRequest()).expect(200)
    expect(textOf((await sandbox.request.get(`${FLOWS}/f1`)).text)).toContain('Wait: the user has not come back yet')
    await sandbox.clock.advance(3600)
    const text = textOf((await sandbox.request.get(`${FLOWS}/f1`)).text)
    expect(text).toContain('Begin the flow again')
    expect(text).not.toContain('Wait: ')
    const { next_steps: steps } = await sandbox.flows.get('f1')
    expect(steps).toEqual([expect.stringContaining('Begin the flow again')])
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

  it('begins with why the answer is what it is, and what decided it', async () => {
    const sandbox = await startSandbox()
    await createRelyingParty(sandbox).use({ sandbox_persona: 'teen-16' })
    const text = textOf((await sandbox.request.get(`${FLOWS}/f1`)).text)
    expect(text).toMatch(/ok teen-16: 13 yes, 16 yes, 18 no, 21 no\. 18, 21: \S+ needs 18, has 16/)
    expect(text).toContain('Decided by query parameter sandbox_persona')
    expect(text.indexOf('needs 18, has 16')).toBeLessThan(text.indexOf('What a correct client does next'))
  })

  it('marks a redirect that carries an error as refused', async () => {
    const sandbox = await startSandbox()
    await createRelyingParty(sandbox).use({ sandbox_outcome: 'access_denied' })
    const page = (await sandbox.request.get(`${FLOWS}/f1`)).text
    expect(page).toContain('<span class="mark no">302, error=access_denied</span>')
    expect(page).not.toContain('<span class="mark yes">')
  })

  it('decodes claims, and the parameters of a redirect', async () => {
    const sandbox = await startSandbox()
    await createRelyingParty(sandbox).use({ state: 'a b', claims: '{"age_thresholds":[18]}' })
    const text = textOf((await sandbox.request.get(`${FLOWS}/f1`)).text)
    expect(text).toContain('claims { "age_thresholds": [ 18 ] }')
    expect(text).toMatch(
      /with these parameters in its fragment: id_token Its payload, decoded \{ .*"age_thresholds": \{ "18": true \}/,
    )
    expect(text).toMatch(/state a b Repeat/)
  })

  it('leads to the page of a flow that waits, which this browser then answers', async () => {
    const sandbox = await startSandbox()
    await sandbox.request.get('/v1/oidc/use').query(useRequest({ state: 'waits' }))
    const page = (await sandbox.request.get(`${FLOWS}/f1`)).text
    expect(byTestId(page, 'answer-here')).toHaveLength(1)
    const transaction = /name="transaction" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const shown = await sandbox.request.post('/v1/oidc/use/continue').type('form').send({ transaction }).expect(200)
    expect(shown.text).toContain(transaction)
    await sandbox.request.post('/v1/oidc/use/choice').type('form').send({ transaction, persona: 'teen-16' }).expect(303)
    const ended = (await sandbox.request.get(`${FLOWS}/f1`)).text
    expect(byTestId(ended, 'answer-here')).toHaveLength(0)
    expect(textOf(ended)).toContain('Decided by the choice page')
  })

  it('says that a request waits no longer when its time is over', async () => {
    const sandbox = await startSandbox()
    await sandbox.request.get('/v1/oidc/use').query(useRequest())
    await sandbox.clock.advance(7_200)
    const page = (await sandbox.request.get(`${FLOWS}/f1`)).text
    expect(byTestId(page, 'answer-here')).toHaveLength(0)
    expect(textOf(page)).toContain('It waits no longer')
  })

  it('runs a Use flow again by a link, also with the decision that a header made', async () => {
    const sandbox = await startSandbox()
    await sandbox.request.get('/v1/oidc/use').query(useRequest()).set('X-Sandbox-Persona', 'teen-16')
    const page = (await sandbox.request.get(`${FLOWS}/f1`)).text
    const hrefOf = (id: string) => byTestId(page, id)[0]?.attributes['href'] ?? ''
    await sandbox.request.get(hrefOf('run-again')).expect(200)
    await sandbox.request.get(hrefOf('run-decided')).expect(302)
    expect((await sandbox.flows.list()).map(({ id, persona }) => [id, persona])).toEqual([
      ['f3', 'teen-16'],
      ['f2', undefined],
      ['f1', 'teen-16'],
    ])
  })

  it('opens a pushed request that no browser has brought, and pushes a used one again by commands', async () => {
    const sandbox = await startSandbox()
    const party = createRelyingParty(sandbox)
    const uri = await party.obtainRequestUri()
    const pushed = (await sandbox.request.get(`${FLOWS}/f1`)).text
    const href = byTestId(pushed, 'open-here')[0]?.attributes['href'] ?? ''
    expect(new URLSearchParams(href.split('?')[1]).get('request_uri')).toBe(uri)
    await sandbox.request.get(href).expect(200)
    await sandbox.request.get(`${href}&sandbox_persona=no-age-key`)
    const again = await party.obtainRequestUri()
    await party.create(again)
    const text = textOf((await sandbox.request.get(`${FLOWS}/f2`)).text)
    expect(text).toContain('A request_uri serves once')
    expect(text).toContain('request_uri=REQUEST_URI')
  })

  it('leads to the flows before and after it in its story', async () => {
    const sandbox = await startSandbox()
    const party = createRelyingParty(sandbox)
    await party.use({ sandbox_persona: 'no-age-key', can_create: 'true' })
    await party.create(await party.obtainRequestUri(), { sandbox_persona: 'no-age-key' })
    await party.use({ sandbox_persona: 'no-age-key' })
    expect(textOf((await sandbox.request.get(`${FLOWS}/f2`)).text)).toContain('Before this: f1 After this: f3')
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
      expect(Buffer.byteLength(text), path).toBeLessThan(80_000)
    }
  })
})
