import { expect, test } from 'vitest'
import { LANGUAGES } from '../../../src/server/http/html/messages.ts'
import { formWithId, press, submit } from '../../support/forms.ts'
import { byTestId, tagsOf, textOf } from '../../support/markup.ts'
import { useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()

type Preferences = Readonly<Partial<Record<'asked' | 'previous' | 'browser', string>>>

const openPage = async ({ asked, previous, browser }: Preferences = {}) => {
  const cookie = previous !== undefined && { Cookie: `agekey_sandbox_language=${previous}` }
  const headers = { ...cookie, ...(browser !== undefined && { 'Accept-Language': browser }) }
  return sandbox.request
    .get('/v1/oidc/use')
    .set(headers)
    .query(useRequest({ language: asked }))
}

async function chooseLanguage(changes: Readonly<Record<string, string>>) {
  const { action, fields } = formWithId((await openPage({ asked: 'de' })).text, 'language-form')
  return submit(sandbox, {
    action,
    fields: new URLSearchParams({ ...Object.fromEntries(fields), ...changes }),
  })
}

const subtags = '-a'.repeat(20_000)
const ranges = Array.from({ length: 20_000 }, (_, n) => `x${n % 1000}`).join()

test.each<Preferences & { lang: string }>([
  { lang: 'en' },
  { asked: 'de', lang: 'de' },
  { asked: 'pt-BR', lang: 'pt' },
  { asked: 'fr-CA-x-private', lang: 'fr' },
  { asked: 'DE', lang: 'de' },
  { asked: 'ar', previous: 'fr', browser: 'ja', lang: 'ar' },
  { asked: 'tlh', previous: 'fr', browser: 'ja', lang: 'fr' },
  { asked: 'not a tag', browser: 'ja', lang: 'ja' },
  { previous: 'es', browser: 'ja', lang: 'es' },
  { previous: 'xx', browser: 'ja', lang: 'ja' },
  { browser: 'tlh, es-MX;q=0.8, de;q=0.9', lang: 'de' },
  { browser: 'de;q=0, fr;q=0.1', lang: 'fr' },
  { browser: 'es;q=0.5,de;q=0.5', lang: 'es' },
  { browser: '*', lang: 'en' },
  { browser: 'constructor, __proto__;q=0.9', lang: 'en' },
  { browser: ';;;,=,de;q=nonsense,fr', lang: 'fr' },
  { browser: 'd\u00e9-\u00ff, fr;q=0.1', lang: 'fr' },
  { browser: 'de;q=-1, fr;q=1e9, ja;q=0.0001, es;q=', lang: 'fr' },
  // As long as a header or a query may be.
  { browser: `xx${subtags},ja;q=0.9`, lang: 'ja' },
  { browser: `de${subtags}`, lang: 'de' },
  { browser: `${ranges.slice(0, 90_000)},de;q=0.5`, lang: 'de' },
  { browser: `${','.repeat(90_000)}fr`, lang: 'fr' },
  { browser: `fr${';a=b'.repeat(20_000)}`, lang: 'fr' },
  { previous: `xx${subtags}`, browser: 'ja', lang: 'ja' },
  { previous: `ar${subtags}`, browser: 'ja', lang: 'ar' },
  { asked: `xx${'-a'.repeat(2_000)}`, browser: 'ja', lang: 'ja' },
])(
  'A request for $asked, after a choice of $previous, by a $browser browser, is in $lang',
  async ({ lang, ...preferences }) => {
    const answer = await openPage(preferences)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-language']).toEqual(lang)
    expect(tagsOf(answer.text)[0]?.attributes).toMatchObject({
      lang,
      dir: lang === 'ar' ? 'rtl' : 'ltr',
    })
  },
)

test('A hosted page offers each language under its own name', async () => {
  const { text } = await openPage()
  const options = tagsOf(text).filter(
    ({ name, attributes }) => name === 'option' && 'lang' in attributes,
  )
  expect(options.map(({ attributes }) => attributes['value'])).toEqual(Object.keys(LANGUAGES))
  expect(textOf(text)).toContain('Deutsch Français Español Português 日本語 العربية')
  expect(byTestId(text, 'language')).toHaveLength(1)
})

test('The chosen language is remembered by a cookie of this tenant', async () => {
  const answer = await chooseLanguage({ language: 'ja' })
  expect(answer.status).toBe(200)
  expect(answer.headers['content-language']).toBe('ja')
  expect(answer.get('Set-Cookie')).toEqual([
    'agekey_sandbox_language=ja; Path=/v1/oidc; HttpOnly; SameSite=Lax',
  ])
})

test('The request still waits after the choice of a language', async () => {
  const answer = await chooseLanguage({ language: 'ja' })
  expect((await submit(sandbox, press(answer.text, 'use'))).status).toBe(303)
})

test('A language is chosen by a tag with subtags', async () => {
  expect((await chooseLanguage({ language: `de${subtags}` })).headers['content-language']).toBe(
    'de',
  )
})

test.each<[Readonly<Record<string, string>>, number]>([
  ...['tlh', 'd\0', '*', '\ud800', 'é'].map((language): [{ language: string }, number] => [
    { language },
    400,
  ]),
  [{}, 400],
  [{ language: 'de', transaction: 'unknown' }, 410],
  [{ language: 'de', transaction: '' }, 400],
])(
  'The menu of languages refuses the form %j by a page with status %i',
  async (changes, status) => {
    const answer = await chooseLanguage(changes)
    expect(answer.status).toEqual(status)
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.headers['content-type']).toContain('text/html')
  },
)

test('A hosted page in another language marks English text', async () => {
  const { text } = await openPage({ asked: 'ja' })
  const [button] = /<button name="persona"[\s\S]*?<\/button>/.exec(text) ?? []
  expect(button).toMatch(/<b lang="en" dir="ltr"[^>]*>Adult with a passport<\/b>/)
  expect(button).toMatch(/<small>id_doc_scan: \d+ 歳<\/small>/)
})
