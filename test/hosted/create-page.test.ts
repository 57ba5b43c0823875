import { describe, expect, it } from 'vitest'
import { renderCreate } from '../../src/hosted/create-page.ts'
import { byTestId, fieldNames, tagsOf, textOf } from '../support/markup.ts'
import { createPage, createView } from './views.ts'

describe('the create page', () => {
  it.each([
    ['save', { name: 'outcome', value: 'created' }],
    ['save-new', { name: 'outcome', value: 'created_new' }],
    ['decline', { name: 'outcome', value: 'access_denied' }],
  ])('has one button %s', (testId, attributes) => {
    const buttons = byTestId(createPage(), testId)
    expect(buttons).toHaveLength(1)
    expect(buttons[0]).toMatchObject({ name: 'button', attributes })
  })

  it('offers every persona as an option and selects the one that is preselected', () => {
    const options = tagsOf(createPage()).filter(({ attributes }) => attributes['data-testid']?.startsWith('persona-'))
    expect(options.map(({ attributes }) => attributes)).toEqual([
      { value: 'adult-passport', 'data-testid': 'persona-adult-passport' },
      { value: 'no-age-key', 'data-testid': 'persona-no-age-key', selected: '' },
    ])
  })

  it('submits nothing but the request, a choice, a language and seconds', () => {
    expect(fieldNames(createPage())).toEqual(['advance', 'language', 'outcome', 'persona', 'transaction'])
  })

  it('saves when Enter is pressed in its first form', () => {
    const tags = tagsOf(createPage())
    const form = tags.findIndex(({ name }) => name === 'form')
    const first = tags.slice(form).find(({ name }) => name === 'button')
    expect(first?.attributes['data-testid']).toBe('save')
  })

  it('shows each age signal that would be saved', () => {
    expect(textOf(createPage())).toContain(
      'Method id_doc_scan Age born 2001-05-17 Verified 2025-06-01 Provenance /veratad/roc Attributes issuing_country: US',
    )
  })

  it('folds each of several age signals below its method and age', () => {
    const view = createView()
    const [signal] = view.transaction.signals
    const signals = [signal, signal].filter((one) => one !== undefined)
    const page = renderCreate({ ...view, transaction: { ...view.transaction, signals } }, view)
    expect(page.html.match(/<summary>id_doc_scan: born 2001-05-17<\/summary>/g)).toHaveLength(2)
    expect(createPage().html).not.toContain('<summary>id_doc_scan')
  })

  it('lists the attributes of an age signal under one term', () => {
    const text = textOf(createPage({ face_match_performed: true, issuing_country: 'US' }))
    expect(text).toContain('Attributes face_match_performed: true issuing_country: US')
    expect(textOf(createPage({}))).not.toContain('Attributes')
  })
})
