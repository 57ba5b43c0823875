import { expect, test } from 'vitest'
import { readPresentation } from '../../../../src/service/oidc/request/presentation.ts'
import { Findings } from '../../../../src/service/oidc/rules/findings.ts'

function read(parameters: Parameters<typeof readPresentation>[0]) {
  const findings = new Findings('agekey')
  const presentation = readPresentation(parameters, findings)
  expect(findings.all).toEqual([])
  return presentation
}

test('A colour is three or six hexadecimal digits or a name of CSS', () => {
  const colours = ['#fff', '#392669', '#A0c', 'rebeccapurple', 'RED']
  for (const primary_color of colours)
    expect(read({ primary_color }).appearance).toEqual({ primary_color })
})

test('Any other colour is advised against', () => {
  const words = ['reddish', 'constructor', 'rgb(1,2,3)', 'transparent']
  const signs = ['#ff', '#ffff', '#gggggg', 'x#fff', '#fff0000', '#12345']
  for (const primary_color of [...words, ...signs]) {
    const findings = new Findings('agekey')
    expect(readPresentation({ primary_color }, findings).appearance, primary_color).toEqual({})
    expect(findings.all.map(({ rule, path }) => [rule, path])).toEqual([
      ['USE-16', 'primary_color'],
    ])
  }
})

test.each([
  { text_align: 'left', button_radius: '0', gradient: 'true', font: 'x'.repeat(60) },
  { text_align: 'center', button_radius: '32', gradient: 'false', font: 'Öpen Sans ٣' },
  {
    text_align: 'right',
    button_radius: '07',
    secondary_color: '#00AAFF',
    background_color: 'white',
  },
  { text_color: 'RebeccaPurple', primary_color: '#0af' },
])('The appearance %j is permitted', (appearance) => {
  expect(read(appearance).appearance).toEqual(appearance)
})

test.each(['light', 'dark', 'system'])(
  'The theme %s, a language and learn_more are permitted',
  (theme) => {
    expect(read({})).toStrictEqual({ theme: 'light', learnMore: true, appearance: {} })
    const language = 'zh-Hant-TW'
    expect(read({ theme, language, learn_more: 'false' })).toMatchObject({
      language,
      theme,
      learnMore: false,
    })
    expect(read({ theme, learn_more: 'true' })).toEqual({ theme, learnMore: true, appearance: {} })
  },
)

// RFC 5646 appendix A, and section 2.1 for what is not well-formed.
const TAGS = `de fr ja i-enochian zh-Hant zh-Hans sr-Cyrl zh-cmn-Hans-CN cmn-Hans-CN zh-yue-HK yue-HK zh-Hans-CN sr-Latn-RS sl-rozaj
  sl-rozaj-biske sl-nedis de-CH-1901 sl-IT-nedis hy-Latn-IT-arevela de-DE en-US es-419 de-CH-x-phonebk az-Arab-x-AZE-derbend
  x-whatever qaa-Qaaa-QM-x-southern de-Qaaa sr-Latn-QM sr-Qaaa-RS en-US-u-islamcal zh-CN-a-myext-x-private
  en-a-myext-b-another i-klingon en-GB-oed sgn-BE-FR art-lojban zh-min-nan no-bok x-foo X-FOO`
const NO_TAGS =
  'de-419-DE a-DE ar-a-aaa-b-bbb-a-ccc de-1901-1901 en_US e abcdefghi en- -en en--US x x- i-foo en-a 12 de-DE-u'

test('A language is any well-formed BCP 47 tag without a repeated variant or extension', () => {
  const adviceOn = (language: string) => {
    const findings = new Findings('agekey')
    readPresentation({ language }, findings)
    return findings.all.map(({ rule }) => rule)
  }
  expect(TAGS.split(/\s+/).filter((tag) => adviceOn(tag).length > 0)).toEqual([])
  expect(NO_TAGS.split(' ').filter((tag) => adviceOn(tag)[0] !== 'USE-14')).toEqual([])
})
