import { expect, test } from 'vitest'
import { renderCreate } from '../../src/hosted/create-page.ts'
import { byTestId, fieldNames, tagsOf, textOf } from '../support/markup.ts'
import { createPage, createView } from './views.ts'

test.each([
  ['save', 'created'],
  ['save-new', 'created_new'],
  ['decline', 'access_denied'],
])('The create page has one button %s, for the outcome %s', (testId, value) => {
  const attributes = expect.objectContaining({ name: 'outcome', value })
  expect(byTestId(createPage(), testId)).toEqual([{ name: 'button', attributes }])
})

test('The create page offers every persona, selects the preselected one, and saves when Enter is pressed', () => {
  const tags = tagsOf(createPage())
  const options = tags.filter(({ attributes }) => attributes['data-testid']?.startsWith('persona-'))
  expect(options.map(({ attributes }) => attributes)).toEqual([
    { value: 'adult-passport', 'data-testid': 'persona-adult-passport' },
    { value: 'no-age-key', 'data-testid': 'persona-no-age-key', selected: '' },
  ])
  const form = tags.findIndex(({ name }) => name === 'form')
  const first = tags.slice(form).find(({ name }) => name === 'button')
  expect(first?.attributes['data-testid']).toBe('save')
  expect(fieldNames(createPage())).toEqual(['advance', 'language', 'outcome', 'persona', 'transaction'])
})

test('The create page shows each age signal that would be saved, with its attributes under one term', () => {
  const signal = 'Method id_doc_scan Age born 2001-05-17 Verified 2025-06-01 Provenance /veratad/roc'
  const shown = (attributes: Parameters<typeof createPage>[0]) => textOf(createPage(attributes))
  const attributes = 'Attributes face_match_performed: true issuing_country: US'
  expect(shown({ face_match_performed: true, issuing_country: 'US' })).toContain(`${signal} ${attributes}`)
  expect(shown({})).not.toContain('Attributes')
})

test('The create page folds each of several age signals below its method and age', () => {
  const view = createView()
  const signals = [...view.transaction.signals, ...view.transaction.signals]
  const page = renderCreate({ ...view, transaction: { ...view.transaction, signals } }, view)
  expect(page.html.match(/<summary>id_doc_scan: born 2001-05-17<\/summary>/g)).toHaveLength(2)
  expect(createPage().html).not.toContain('<summary>id_doc_scan')
})
