import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../../src/http/html/messages.ts'
import { openEndings, press, submit } from '../../support/forms.ts'
import { byTestId, tagsOf, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { createRequest, useRequest } from '../../support/requests.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const usePage = async (sandbox: TestSandbox, changes = {}) =>
  (await sandbox.request.get('/v1/oidc/use').query(useRequest(changes))).text
const createPage = async (sandbox: TestSandbox) => {
  const requestUri = await createRelyingParty(sandbox).obtainRequestUri()
  return (await sandbox.request.get('/v1/oidc/create').query(createRequest(requestUri))).text
}
const endings = async (sandbox: TestSandbox, changes = {}) => openEndings(sandbox, await usePage(sandbox, changes))

describe('the page of the endings', () => {
  it('lists them by the call that they concern, each once', async () => {
    const text = await endings(await startSandbox(), { scope: 'openid svc.upgrade' })
    expect([...text.matchAll(/<h3>([^<]+)<\/h3>/g)].map(([, title]) => title)).toEqual([
      'Endings',
      'ID token',
      'ID token: age_thresholds',
      'Callback',
      'Token (E4)',
      'Upgrade (E5)',
    ])
    const names = tagsOf(text).flatMap(({ attributes: { name, value } }) => (name === 'outcome' ? value : []))
    expect(names.length).toBeGreaterThan(150)
    expect(new Set(names).size).toBe(names.length)
  })

  it('has as many as the page that leads to it says', async () => {
    const sandbox = await startSandbox()
    for (const page of [await usePage(sandbox), await createPage(sandbox)]) {
      const [, said] = /endings-title[\s\S]*?class="count">(\d+)</.exec(page) ?? []
      const listed = (await openEndings(sandbox, page)).match(/name="outcome"/g) ?? []
      expect([listed.length > 5, String(listed.length)]).toEqual([true, said])
    }
  })

  it('offers those of E4 and E5 only when the request can lead there', async () => {
    const text = await endings(await startSandbox())
    expect(byTestId(text, 'outcome-token.500')).toEqual([])
    expect(byTestId(text, 'outcome-id_token.expired')).toHaveLength(1)
  })

  it('ends the request by its form, for the persona that is named there', async () => {
    const sandbox = await startSandbox()
    const form = press(await endings(sandbox), 'outcome-id_token.expired', { with_persona: 'teen-16' })
    expect((await submit(sandbox, form)).status).toBe(303)
    expect(await sandbox.flows.last()).toMatchObject({ persona: 'teen-16', outcome: 'id_token.expired' })
  })

  it('ends a request of Create as well', async () => {
    const sandbox = await startSandbox()
    const form = press(await openEndings(sandbox, await createPage(sandbox)), 'outcome-server_error')
    expect((await submit(sandbox, form)).status).toBe(303)
    expect(await sandbox.flows.last()).toMatchObject({ outcome: 'server_error' })
  })

  it('leads back to the choice, in the language that was chosen there', async () => {
    const sandbox = await startSandbox()
    const page = await usePage(sandbox)
    const transaction = press(page, 'use').fields.get('transaction') ?? ''
    const german = await submit(sandbox, {
      action: '/v1/oidc/use/language',
      fields: new URLSearchParams({ transaction, language: 'de' }),
    })
    const text = await openEndings(sandbox, german.text)
    expect(textOf(text)).toContain(LANGUAGES['de']?.['ending.title'])
    const [, back = ''] = /<form method="post" action="([^"]+continue)"/.exec(text) ?? []
    const fields = new URLSearchParams({ transaction, chosen_language: 'de' })
    const again = await submit(sandbox, { action: back, fields })
    expect([again.status, again.headers['content-language']]).toEqual([200, 'de'])
  })

  it('says that a request is over, or is unknown', async () => {
    const sandbox = await startSandbox()
    const page = await usePage(sandbox)
    await submit(sandbox, press(page, 'use'))
    expect(textOf(await openEndings(sandbox, page))).toContain('answered already')
    const { status } = await sandbox.request.get('/v1/oidc/use/endings').query({ transaction: 'x' })
    expect(status).toBe(410)
  })
})
