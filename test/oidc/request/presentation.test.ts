import { expect, test } from 'vitest'
import { APPEARANCE_PARAMETERS, readPresentation } from '../../../src/oidc/request/presentation.ts'
import { Findings } from '../../../src/oidc/rules/findings.ts'

function read(parameters: Parameters<typeof readPresentation>[0]) {
  const findings = new Findings('agekey')
  const presentation = readPresentation(parameters, findings)
  expect(findings.all).toEqual([])
  return presentation
}

test('A colour is one of three or six hexadecimal digits, or a name of CSS, and any other is advised against', () => {
  const colours = ['#fff', '#392669', '#A0c', 'rebeccapurple', 'RED']
  const words = ['reddish', 'constructor', 'rgb(1,2,3)', 'transparent']
  const signs = ['#ff', '#ffff', '#gggggg', 'x#fff', '#fff0000', '#12345']
  for (const primary_color of colours) expect(read({ primary_color }).appearance).toEqual({ primary_color })
  for (const primary_color of [...words, ...signs]) {
    const findings = new Findings('agekey')
    expect(readPresentation({ primary_color }, findings).appearance, primary_color).toEqual({})
    expect(findings.all.map(({ rule, path }) => [rule, path])).toEqual([['USE-16', 'primary_color']])
  }
})

test.each([
  { text_align: 'left', button_radius: '0', gradient: 'true', font: 'x'.repeat(60) },
  { text_align: 'center', button_radius: '32', gradient: 'false', font: 'Öpen Sans ٣' },
  { text_align: 'right', button_radius: '07', secondary_color: '#00AAFF', background_color: 'white' },
  { text_color: 'RebeccaPurple', primary_color: '#0af' },
])('The appearance %j is permitted', (appearance) => {
  expect(read(appearance).appearance).toEqual(appearance)
})

test.each(['light', 'dark', 'system'])('The theme %s, a language and learn_more are permitted', (theme) => {
  expect(read({})).toStrictEqual({ theme: 'light', learnMore: true, appearance: {} })
  const language = 'zh-Hant-TW'
  expect(read({ theme, language, learn_more: 'false' })).toMatchObject({ language, theme, learnMore: false })
  expect(read({ theme, learn_more: 'true' })).toEqual({ theme, learnMore: true, appearance: {} })
})

test('The appearance parameters are those of the specification', () => {
  expect(APPEARANCE_PARAMETERS).toEqual([
    ...['primary_color', 'secondary_color', 'text_color', 'background_color'],
    ...['text_align', 'button_radius', 'gradient', 'font'],
  ])
})
