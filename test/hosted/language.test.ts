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

  const subtags = '-a'.repeat(20_000)
  const ranges = Array.from({ length: 20_000 }, (_, n) => `x${n % 1000}`).join()

  it.each<[string, Preferences, string]>([
    ['Accept-Language with 20,000 subtags', { browser: `xx${subtags},ja;q=0.9` }, 'ja'],
    ['Accept-Language with 20,000 subtags of a known language', { browser: `de${subtags}` }, 'de'],
    ['Accept-Language with 20,000 ranges', { browser: `${ranges.slice(0, 90_000)},de;q=0.5` }, 'de'],
    ['Accept-Language with nothing but commas', { browser: `${','.repeat(90_000)}fr` }, 'fr'],
    ['Accept-Language with 20,000 parameters', { browser: `fr${';a=b'.repeat(20_000)}` }, 'fr'],
    ['Accept-Language with characters beyond ASCII', { browser: 'd\u00e9-\u00ff, fr;q=0.1' }, 'fr'],
    ['Accept-Language with weights that are no numbers', { browser: 'de;q=-1, fr;q=1e9, ja;q=0.0001, es;q=' }, 'fr'],
    ['a cookie of 20,000 subtags', { previous: `xx${subtags}`, browser: 'ja' }, 'ja'],
    ['a cookie of 20,000 subtags of a known language', { previous: `ar${subtags}`, browser: 'ja' }, 'ar'],
    ['language with 2,000 subtags', { asked: `xx${'-a'.repeat(2_000)}`, browser: 'ja' }, 'ja'],
  ])('for %s is found as for a short one', async (_, preferences, lang) => {
    const answer = await openPage(await startSandbox(), preferences)
    expect([answer.status, answer.headers['content-language']]).toEqual([200, lang])
  })

  it.each(['tlh', `de${'-a'.repeat(20_000)}`, 'd\0', '*', '\ud800', 'é'])(
    'is no other for the choice %j than for an unknown one, or begins with it',
    async (language) => {
      const sandbox = await startSandbox()
      const { text } = await openPage(sandbox, {})
      const fields = new URLSearchParams({ transaction: transactionOn(text), language })
      const { status } = await submit(sandbox, { action: '/v1/oidc/use/language', fields })
      expect(status).toBe(language.startsWith('de') ? 200 : 400)
    },
  )

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
    const [button] = /<button name="persona"[\s\S]*?<\/button>/.exec(text) ?? []
    expect(button).toMatch(/<b lang="en"[^>]*>Adult with a passport<\/b>/)
    expect(button).toMatch(/<small lang="en">id_doc_scan: is \d+<\/small>/)
  })
})
