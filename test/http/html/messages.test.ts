import { describe, expect, it } from 'vitest'
import { LANGUAGES, translate } from '../../../src/http/html/messages.ts'

const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()
const english = LANGUAGES['en'] ?? {}

describe('translate', () => {
  it('fills in placeholders', () => {
    expect(translate('en')('persona.yes', { threshold: 18 })).toBe('18 yes')
  })

  it('fills a value in as it is, even one that looks like a placeholder or a replacement pattern', () => {
    expect(translate('en')('choose.title', { client: '{client} $& $1' })).toBe('{client} $& $1 wants to check your age')
  })

  it('refuses to show a placeholder without a value', () => {
    expect(() => translate('en')('choose.title')).toThrow('message choose.title: no value for {client}')
  })

  it.each([
    ['de-AT', 'Meinen Altersschlüssel verwenden'],
    ['PT-br', 'Usar a minha chave de idade'],
    ['ar', 'استخدام مفتاح عمري'],
  ])('falls back from %s to a language that has texts', (tag, text) => {
    expect(translate(tag)('choose.use')).toBe(text)
  })

  it.each(['en', 'EN', 'en-GB', 'en-Latn-GB', 'tlh', '', '-', 'constructor', '__proto__'])(
    'has English texts for the tag %j',
    (tag) => {
      expect(translate(tag)('choose.use')).toBe('Use my age key')
    },
  )

  it('reads a tag of as many subtags as a header can hold', () => {
    const subtags = '-a'.repeat(40_000)
    expect([translate(`xx${subtags}`).lang, translate(`fr${subtags}`).lang]).toEqual(['en', 'fr'])
  })
})

/** `Provenance` is French, too, and a Spanish no is a no. */
const WORDS_IN_COMMON = ['create.provenance', 'persona.no']

describe.each(Object.entries(LANGUAGES))('the language %s', (lang, messages) => {
  it('has every text of the English one, with the same placeholders', () => {
    const shape = (texts: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, placeholders(text)]))
    expect(shape(messages)).toEqual(shape(english))
  })

  it('repeats no English text that differs in this language', () => {
    const sameInBoth = ['footer.version', 'language.name', 'banner.label', 'clock.advance', ...WORDS_IN_COMMON]
    const untranslated = Object.entries(messages).filter(
      ([key, text]) => text === Object.entries(english).find(([known]) => known === key)?.[1],
    )
    expect(untranslated.map(([key]) => key).filter((key) => lang !== 'en' && !sameInBoth.includes(key))).toEqual([])
  })

  it('leaves no text empty', () => {
    expect(Object.entries(messages).filter(([, text]) => text.trim() === '')).toEqual([])
  })
})
