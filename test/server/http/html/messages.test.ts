import { expect, test } from 'vitest'
import { LANGUAGES, translate } from '../../../../src/server/http/html/messages.ts'

const placeholders = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()
const english = LANGUAGES['en'] ?? {}

test('translate fills a value in as it is', () => {
  expect(translate('en')('choose.title', { client: '{client} $& $1' })).toBe(
    '{client} $& $1 wants to check your age',
  )
})

test('translate rejects a placeholder without a value', () => {
  expect(() => translate('en')('choose.title')).toThrow(
    'message choose.title: no value for {client}',
  )
})

test('translate has English texts for every tag that it does not know', () => {
  for (const tag of ['en', 'EN', 'en-GB', 'en-Latn-GB', 'tlh', '', '-', 'constructor', '__proto__'])
    expect(translate(tag)('choose.use'), tag).toBe('Use my age key')
})

/** `Provenance` is French, too, and a Spanish no is a no. */
const WORDS_IN_COMMON = ['create.provenance', 'persona.no']
const IN_BOTH = ['footer.version', 'language.name', 'banner.label', ...WORDS_IN_COMMON]
const shape = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, placeholders(text)]))

test.each(Object.entries(LANGUAGES))(
  'The language %s has every text of English in its own words',
  (lang, messages) => {
    expect(shape(messages)).toEqual(shape(english))
    const texts = Object.entries<string>(messages)
    expect(texts.filter(([, text]) => text.trim() === '')).toEqual([])
    const originals = new Map<string, string>(Object.entries(english))
    const untranslated = texts.filter(([key, text]) => text === originals.get(key))
    expect(
      untranslated.map(([key]) => key).filter((key) => lang !== 'en' && !IN_BOTH.includes(key)),
    ).toEqual([])
  },
)
