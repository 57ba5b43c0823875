import { expect, test } from 'vitest'
import { LANGUAGES, translate } from '../../../src/http/html/messages.ts'

const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()
const english = LANGUAGES['en'] ?? {}

test('translate fills a value in as it is, even one that looks like a placeholder or a pattern, and needs one', () => {
  expect(translate('en')('choose.title', { client: '{client} $& $1' })).toBe('{client} $& $1 wants to check your age')
  expect(() => translate('en')('choose.title')).toThrow('message choose.title: no value for {client}')
})

test.each([
  ['de-AT', 'Altersschlüssel verwenden'],
  ['PT-br', 'Usar a minha chave de idade'],
  ['ar', 'استخدام مفتاح عمري'],
])('translate falls back from %s to a language that has texts', (tag, text) => {
  expect(translate(tag)('choose.use')).toBe(text)
})

test('translate has English texts for English and for every tag that it does not know', () => {
  for (const tag of ['en', 'EN', 'en-GB', 'en-Latn-GB', 'tlh', '', '-', 'constructor', '__proto__'])
    expect(translate(tag)('choose.use'), tag).toBe('Use my age key')
})

test('translate reads a tag of as many subtags as a header can hold', () => {
  const subtags = '-a'.repeat(40_000)
  expect([translate(`xx${subtags}`).lang, translate(`fr${subtags}`).lang]).toEqual(['en', 'fr'])
})

/** `Provenance` is French, too, and a Spanish no is a no. */
const WORDS_IN_COMMON = ['create.provenance', 'persona.no']
const IN_BOTH = ['footer.version', 'language.name', 'banner.label', 'clock.advance', ...WORDS_IN_COMMON]
const shape = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, placeholders(text)]))

test.each(Object.entries(LANGUAGES))('The language %s has every text of English in its own words', (lang, messages) => {
  expect(shape(messages)).toEqual(shape(english))
  const texts = Object.entries<string>(messages)
  expect(texts.filter(([, text]) => text.trim() === '')).toEqual([])
  const originals = new Map<string, string>(Object.entries(english))
  const untranslated = texts.filter(([key, text]) => text === originals.get(key))
  expect(untranslated.map(([key]) => key).filter((key) => lang !== 'en' && !IN_BOTH.includes(key))).toEqual([])
})
