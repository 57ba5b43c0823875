import { statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../src/http/html/messages.ts'
import { press, submit } from '../support/forms.ts'
import { byTestId, tagsOf, textOf } from '../support/markup.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { claims, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const publicFolder = new URL('../../public/', import.meta.url)

describe('the page of a request that waits', () => {
  it('weighs less than 100 KB with all that it loads, with every persona and every ending, in every language', async () => {
    const sandbox = await startSandbox()
    // An earlier flow brings the endings that replay it.
    await createRelyingParty(sandbox).use({ state: 'earlier', nonce: 'earlier' })
    const asked = [claims(), claims({ age_thresholds: Array.from({ length: 30 }, (_, index) => index) })]
    for (const [language, claims] of Object.keys(LANGUAGES).flatMap((tag) => asked.map((text) => [tag, text]))) {
      const query = useRequest({ language, can_create: 'true', scope: 'openid svc.upgrade', claims, no_such: 'x' })
      const { text } = await sandbox.request.get('/v1/oidc/use').query(query)
      const files = [...text.matchAll(/"\/_sandbox\/assets\/([^"]+)"/g)].map(([, file = '']) => file)
      const loaded = [...new Set(files)].reduce((sum, file) => sum + statSync(new URL(file, publicFolder)).size, 0)
      expect(Buffer.byteLength(text) + loaded, language).toBeLessThan(100_000)
    }
  })

  it('lists personas under their headings, the fallback persona first, and endings by the call that they concern', async () => {
    const sandbox = await startSandbox()
    const { text } = await sandbox.request.get('/v1/oidc/use').query(useRequest({ scope: 'openid svc.upgrade' }))
    const headings = [...text.matchAll(/<h3>([^<]+)<\/h3>/g)].map(([, title]) => title)
    expect(headings.slice(0, 6)).toEqual(['Adults', 'Minors', 'Birthdays', 'Methods', 'Assurance', 'Edge cases'])
    expect(headings.slice(6)).toEqual([
      'Endings',
      'ID token',
      'ID token: age_thresholds',
      'Callback',
      'Token (E4)',
      'Upgrade (E5)',
    ])
    const persona = tagsOf(text).find(({ attributes }) => attributes['name'] === 'persona')
    expect(persona?.attributes['value']).toBe('adult-passport')
  })

  it('offers the endings of E4 and E5 only when the request can lead there', async () => {
    const sandbox = await startSandbox()
    const { text } = await sandbox.request.get('/v1/oidc/use').query(useRequest())
    expect(byTestId(text, 'outcome-token.500')).toEqual([])
    expect(byTestId(text, 'outcome-id_token.expired')).toHaveLength(1)
  })

  it('explains the answers of a persona on a page of their own, which its list leads to', async () => {
    const sandbox = await startSandbox()
    const asked = claims({ age_thresholds: [18], overrides: { facial_age_estimation: { min_age: 21 } } })
    const { text } = await sandbox.request.get('/v1/oidc/use').query(useRequest({ claims: asked, language: 'de' }))
    expect(textOf(text)).toContain('Was zählt overrides.facial_age_estimation.min_age: 21')
    const [href = ''] = /\/v1\/oidc\/use\/why\?[^"]*persona=adult-face(?=")/.exec(text) ?? []
    const why = await sandbox.request.get(href.replaceAll('&amp;', '&'))
    expect([why.status, why.headers['content-language']]).toEqual([200, 'de'])
    expect(textOf(why.text)).toMatch(
      /18: yes\. facial_age_estimation: needs 21 by overrides\.facial_age_estimation\.min_age, has \d+/,
    )
  })

  it('says what is wrong with a question for reasons', async () => {
    const sandbox = await startSandbox()
    const { text } = await sandbox.request.get('/v1/oidc/use').query(useRequest())
    const id = press(text, 'use').fields.get('transaction') ?? ''
    const why = async (query: Readonly<Record<string, string>>) => {
      const { status, body } = await sandbox.request
        .get('/v1/oidc/use/why')
        .query(query)
        .set('Accept', 'application/json')
      return `${status} ${body.error_description}`
    }
    expect(await why({ transaction: 'x', persona: 'teen-16' })).toMatch(/^410 transaction: unknown or expired/)
    expect(await why({ transaction: id, persona: 'teen-61' })).toMatch(/^400 .*Did you mean "teen-16"/)
    expect(await why({ transaction: id, persona: 'no-age-key' })).toMatch(/^400 persona: no-age-key has no age key/)
  })

  it('says whether a request that is over was answered or is unknown', async () => {
    const sandbox = await startSandbox()
    const { text } = await sandbox.request.get('/v1/oidc/use').query(useRequest())
    const form = press(text, 'use')
    expect((await submit(sandbox, form)).status).toBe(303)
    const again = await submit(sandbox, form)
    expect(again.status).toBe(410)
    expect(textOf(again.text)).toMatch(/answered already.*Go back to the app and start again/)
    form.fields.set('transaction', 'never-seen')
    expect(textOf((await submit(sandbox, form)).text)).toContain('unknown or expired')
  })

  it('is cached for the back button, which must not begin a second flow', async () => {
    const sandbox = await startSandbox()
    const { headers } = await sandbox.request.get('/v1/oidc/use').query(useRequest())
    expect(headers['cache-control']).toBe('private, no-cache')
  })

  it('accepts one of three simultaneous answers', async () => {
    const sandbox = await startSandbox()
    const { text } = await sandbox.request.get('/v1/oidc/use').query(useRequest())
    const form = press(text, 'use')
    const answers = await Promise.all([submit(sandbox, form), submit(sandbox, form), submit(sandbox, form)])
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410, 410])
  })
})
