import { expect, test } from 'vitest'
import { renderCallbackForm } from '../../../src/server/pages/ending.ts'
import { tagsOf } from '../../support/markup.ts'
import { formPostCallback, shell } from './views.ts'

const attributesOf = (tag: string, params: (readonly [string, string])[] = []) =>
  tagsOf(renderCallbackForm({ ...formPostCallback, params }, shell))
    .filter(({ name }) => name === tag)
    .map(({ attributes }) => attributes)

test('The callback form posts to the redirect_uri exactly as given, by a script or a button that adds no field', () => {
  expect(attributesOf('form')).toMatchObject([
    { method: 'post', action: 'https://shop.example/callback?tab=age&x=1' },
  ])
  expect(attributesOf('button')).toEqual([{ class: 'primary' }])
  expect(attributesOf('script')).toEqual([{ src: '/_sandbox/assets/submit.js', defer: '' }])
})

test('The callback form carries a parameter twice when it is given twice, in order', () => {
  const values = ['one', 'two']
  const params = values.map((value) => ['id_token', value] as const)
  expect(attributesOf('input', params).map(({ value }) => value)).toEqual(values)
})
