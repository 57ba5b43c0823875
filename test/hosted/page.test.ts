import { statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { USUAL_PERSONAS } from '../../src/hosted/choices/usual-personas.ts'
import { LANGUAGES } from '../../src/http/html/messages.ts'
import { press, submit } from '../support/forms.ts'
import { byTestId, tagsOf, textOf } from '../support/markup.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { claims, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const publicFolder = new URL('../../public/', import.meta.url)

/** The personas outside of every folded group, in the order of the page. */
const openIn = (page: string) =>
  tagsOf(page.slice(page.indexOf('<ul class="rows usual">'), page.indexOf('<div class="groups">')))
    .filter(({ attributes }) => attributes['name'] === 'persona')
    .map(({ attributes }) => attributes['value'])

describe('the page of a request that waits', () => {
  it('weighs at most 40 KB, and 70 KB with all that it loads, with every persona, in every language', async () => {
    const sandbox = await startSandbox()
    // An earlier flow brings the endings that replay it.
    await createRelyingParty(sandbox).use({ state: 'earlier', nonce: 'earlier' })
    const asked = [claims(), claims({ age_thresholds: Array.from({ length: 30 }, (_, index) => index) })]
    for (const [language, claims] of Object.keys(LANGUAGES).flatMap((tag) => asked.map((text) => [tag, text]))) {
      const query = useRequest({ language, can_create: 'true', scope: 'openid svc.upgrade', claims, no_such: 'x' })
      const { text } = await sandbox.request.get('/v1/oidc/use').query(query)
      const files = [...text.matchAll(/"\/_sandbox\/assets\/([^"]+)"/g)].map(([, file = '']) => file)
      const loaded = [...new Set(files)].reduce((sum, file) => sum + statSync(new URL(file, publicFolder)).size, 0)
      expect(Buffer.byteLength(text), language).toBeLessThanOrEqual(40 * 1024)
      expect(Buffer.byteLength(text) + loaded, language).toBeLessThanOrEqual(70 * 1024)
    }
  })

  it('has the usual personas in the open, and all others folded by group, with their number', async () => {
    const sandbox = await startSandbox()
    const { text } = await sandbox.request.get('/v1/oidc/use').query(useRequest())
    expect(openIn(text)).toEqual(USUAL_PERSONAS)
    const summaries = [...text.matchAll(/<summary data-testid="(group-\w+)">([^<]+) <span class="count">(\d+)</g)]
    const personas = await sandbox.personas.list()
    const folded = personas.filter(({ name }) => !USUAL_PERSONAS.includes(name))
    const groups = ['Adults', 'Minors', 'Birthdays', 'Methods', 'Assurance', 'Edge cases']
    expect(summaries.map(([, id, title, count]) => [id, title, Number(count)])).toEqual(
      groups.map((group) => [
        `group-${group.split(' ')[0]?.toLowerCase()}`,
        group,
        folded.filter((persona) => persona.group === group).length,
      ]),
    )
  })

  it('has the persona that this browser used last in the open, marked, and still once', async () => {
    const sandbox = await startSandbox()
    const open = async (last: string) => {
      const cookie = `agekey_sandbox_last_persona=${last}`
      return (await sandbox.request.get('/v1/oidc/use').set('Cookie', cookie).query(useRequest())).text
    }
    const folded = await open('stale-verification')
    expect(openIn(folded)).toEqual([...USUAL_PERSONAS, 'stale-verification'])
    expect(byTestId(folded, 'persona-stale-verification')).toHaveLength(1)
    expect(textOf(folded)).toContain('stale-verification last used here')
    const usual = await open('child-12')
    expect(openIn(usual)).toEqual(USUAL_PERSONAS)
    expect(textOf(usual)).toContain('child-12 last used here')
    const unknown = await open('no-such-persona')
    expect([openIn(unknown), textOf(unknown).includes('last used here')]).toEqual([USUAL_PERSONAS, false])
  })

  it('explains the answers of a persona on a page of their own, which its list leads to', async () => {
    const sandbox = await startSandbox()
    const asked = claims({ age_thresholds: [18], overrides: { facial_age_estimation: { min_age: 21 } } })
    const { text } = await sandbox.request.get('/v1/oidc/use').query(useRequest({ claims: asked, language: 'de' }))
    expect(textOf(text)).toContain('Was zählt: overrides overrides.facial_age_estimation.min_age: 21')
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
