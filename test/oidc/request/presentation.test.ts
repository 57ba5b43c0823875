import { expect, it } from 'vitest'
import { readPresentation } from '../../../src/oidc/request/presentation.ts'
import { Findings } from '../../../src/oidc/rules/findings.ts'

const readColour = (text: string) =>
  readPresentation({ primary_color: text }, new Findings('agekey')).appearance.primary_color

it.each(['#fff', '#392669', '#A0c', 'rebeccapurple', 'RED'])('permits the colour %s', (text) => {
  expect(readColour(text)).toBe(text)
})

it.each(['', '#ff', '#ffff', '#gggggg', 'reddish', 'constructor', 'rgb(1,2,3)', '#12345', 'transparent'])(
  'does not permit the colour %j',
  (text) => {
    expect(readColour(text)).toBeUndefined()
  },
)
