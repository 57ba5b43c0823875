import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../src/http/html/messages.ts'
import { press, submit } from '../support/forms.ts'
import { byTestId, tagsOf, textOf } from '../support/markup.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

interface Preferences {
  readonly asked?: string
  readonly previous?: string
  readonly browser?: string
}

async function openPage(sandbox: TestSandbox, { asked, previous, browser }: Preferences) {
  return sandbox.request
    .get('/v1/oidc/use')
    .set({
      ...(previous === undefined ? {} : { Cookie: `agekey_sandbox_language=${previous}` }),
      ...(browser === undefined ? {} : { 'Accept-Language': browser }),
    })
    .query(useRequest({ language: asked }))
}

const transactionOn = (page: string) =>
  tagsOf(page).find(({ attributes }) => attributes['name'] === 'transaction')?.attributes['value'] ?? ''

describe('the language of a hosted page', () => {
  it.each<[Preferences, string]>([
    [{}, 'en'],
    [{ asked: 'de' }, 'de'],
    [{ asked: 'pt-BR' }, 'pt'],
    [{ asked: 'fr-CA-x-private' }, 'fr'],
    [{ asked: 'DE' }, 'de'],
    [{ asked: 'ar', previous: 'fr', browser: 'ja' }, 'ar'],
    [{ asked: 'tlh', previous: 'fr', browser: 'ja' }, 'fr'],
    [{ asked: 'not a tag', browser: 'ja' }, 'ja'],
    [{ previous: 'es', browser: 'ja' }, 'es'],
    [{ previous: 'xx', browser: 'ja' }, 'ja'],
    [{ browser: 'tlh, es-MX;q=0.8, de;q=0.9' }, 'de'],
    [{ browser: 'de;q=0, fr;q=0.1' }, 'fr'],
    [{ browser: 'es;q=0.5,de;q=0.5' }, 'es'],
    [{ browser: '*' }, 'en'],
    [{ browser: 'constructor, __proto__;q=0.9' }, 'en'],
    [{ browser: ';;;,=,de;q=nonsense,fr' }, 'fr'],
  ])('for %j is %s', async (preferences, lang) => {
    const answer = await openPage(await startSandbox(), preferences)
    expect(answer.headers['content-language']).toBe(lang)
    expect(tagsOf(answer.text)[0]?.attributes).toMatchObject({ lang, dir: lang === 'ar' ? 'rtl' : 'ltr' })
  })

  it('is offered in a menu under its own name, and the menu posts within the page’s flow', async () => {
    const sandbox = await startSandbox()
    const { text } = await openPage(sandbox, {})
    const options = tagsOf(text).filter(({ name, attributes }) => name === 'option' && 'lang' in attributes)
    expect(options.map(({ attributes }) => attributes['value'])).toEqual(Object.keys(LANGUAGES))
    expect(textOf(text)).toContain('Deutsch Français Español Português 日本語 العربية')
    expect(byTestId(text, 'language')).toHaveLength(1)
  })

  it('is remembered by a cookie of this tenant, and the request still waits', async () => {
    const sandbox = await startSandbox()
    const { text } = await openPage(sandbox, { asked: 'de' })
    const fields = new URLSearchParams({ transaction: transactionOn(text), language: 'ja' })
    const answer = await submit(sandbox, { action: '/v1/oidc/use/language', fields })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-language']).toBe('ja')
    expect(answer.get('Set-Cookie')).toEqual(['agekey_sandbox_language=ja; Path=/v1/oidc; HttpOnly; SameSite=Lax'])
    expect((await submit(sandbox, press(answer.text, 'use'))).status).toBe(303)
  })

  it.each([
    ['an unknown language', { language: 'tlh' }, 400],
    ['no language', {}, 400],
    ['an unknown request', { language: 'de', transaction: 'unknown' }, 410],
    ['no request', { language: 'de', transaction: '' }, 400],
  ])('is not changed by a form with %s', async (_, changes, status) => {
    const sandbox = await startSandbox()
    const { text } = await openPage(sandbox, {})
    const fields = new URLSearchParams({ transaction: transactionOn(text), ...changes })
    const answer = await submit(sandbox, { action: '/v1/oidc/use/language', fields })
    expect(answer.status).toBe(status)
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.headers['content-type']).toContain('text/html')
  })

  it('is not changed from another site, nor by a GET', async () => {
    const sandbox = await startSandbox()
    const { text } = await openPage(sandbox, {})
    const fields = new URLSearchParams({ transaction: transactionOn(text), language: 'de' })
    await sandbox.request
      .post('/v1/oidc/use/language')
      .set('Sec-Fetch-Site', 'cross-site')
      .send(String(fields))
      .expect(403)
    await sandbox.request.get('/v1/oidc/use/language').query(String(fields)).expect(405)
  })

  it('marks English text on a page in another language', async () => {
    const { text } = await openPage(await startSandbox(), { asked: 'ja' })
    const [button] = /<button class="persona"[\s\S]*?<\/button>/.exec(text) ?? []
    expect(button).toContain('<strong lang="en">Adult with a passport</strong>')
  })
})
