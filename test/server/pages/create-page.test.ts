import { expect, test } from 'vitest'
import { renderCreate } from '../../../src/server/pages/create-page.ts'
import { byTestId, fieldNames, tagsOf, textOf } from '../../support/markup.ts'
import { createView } from './views.ts'

const pageOf = (...attributes: Parameters<typeof createView>) => {
  const view = createView(...attributes)
  return renderCreate(view, view)
}

test.each([
  ['save', 'created'],
  ['save-new', 'created_new'],
  ['decline', 'access_denied'],
  ['outcome-request_uri.expired', 'request_uri.expired'],
])('The create page has one button %s, for the outcome %s', (testId, value) => {
  const attributes = expect.objectContaining({ name: 'outcome', value })
  expect(byTestId(pageOf({}), testId)).toEqual([{ name: 'button', attributes }])
})

test('The create page offers every persona', () => {
  const tags = tagsOf(pageOf({}))
  const options = tags.filter(({ attributes }) => attributes['data-testid']?.startsWith('persona-'))
  expect(options.map(({ attributes }) => attributes)).toEqual([
    { value: 'adult-passport', 'data-testid': 'persona-adult-passport' },
    { value: 'no-age-key', 'data-testid': 'persona-no-age-key', 'data-keyless': '', selected: '' },
  ])
})

test('The create page saves when Enter is pressed', () => {
  const tags = tagsOf(pageOf({}))
  const form = tags.findIndex(({ name }) => name === 'form')
  expect(tags.slice(form).find(({ name }) => name === 'button')?.attributes['data-testid']).toBe(
    'save',
  )
  expect(fieldNames(pageOf({}))).toEqual(['language', 'outcome', 'persona', 'transaction'])
})

test('The create page shows each age signal that would be saved, with its attributes under one term', () => {
  const signal =
    'Method id_doc_scan Age born 2001-05-17 Verified 2025-06-01 Provenance /veratad/roc'
  const attributes = 'Attributes face_match_performed: true issuing_country: US'
  expect(textOf(pageOf({ face_match_performed: true, issuing_country: 'US' }))).toContain(
    `${signal} ${attributes}`,
  )
  expect(textOf(pageOf({}))).not.toContain('Attributes')
})

test('The create page folds each of several age signals', () => {
  expect(
    pageOf({}, {}).html.match(/<summary>id_doc_scan: born 2001-05-17<\/summary>/g),
  ).toHaveLength(2)
  expect(pageOf({}).html).not.toContain('<summary>id_doc_scan')
})
