import { describe, expect, it } from 'vitest'
import { renderCreate } from '../../src/hosted/create-page.ts'
import { byTestId, fieldNames, tagsOf, textOf } from '../support/markup.ts'
import { createView } from './views.ts'

describe('the create page', () => {
  it.each([
    ['save', { name: 'outcome', value: 'created' }],
    ['save-new', { name: 'outcome', value: 'created_new' }],
    ['decline', { name: 'outcome', value: 'access_denied' }],
    ['outcome-server_error', { name: 'outcome', value: 'server_error' }],
  ])('has one button %s', (testId, attributes) => {
    const buttons = byTestId(renderCreate(createView()), testId)
    expect(buttons).toHaveLength(1)
    expect(buttons[0]).toMatchObject({ name: 'button', attributes })
  })

  it('offers every persona as an option and selects the default one', () => {
    const options = tagsOf(renderCreate(createView())).filter(({ attributes }) =>
      attributes['data-testid']?.startsWith('persona-'),
    )
    expect(options.map(({ attributes }) => attributes)).toEqual([
      { value: 'adult-passport', 'data-testid': 'persona-adult-passport' },
      { value: 'no-age-key', 'data-testid': 'persona-no-age-key', selected: '' },
    ])
  })

  it('submits nothing but the request, a choice, a language and seconds', () => {
    expect(fieldNames(renderCreate(createView()))).toEqual([
      'advance',
      'language',
      'outcome',
      'persona',
      'transaction',
      'with_persona',
    ])
  })

  it('saves when Enter is pressed in its first form', () => {
    const tags = tagsOf(renderCreate(createView()))
    const form = tags.findIndex(({ name }) => name === 'form')
    const first = tags.slice(form).find(({ name }) => name === 'button')
    expect(first?.attributes['data-testid']).toBe('save')
  })

  it('shows each age signal that would be saved', () => {
    expect(textOf(renderCreate(createView()))).toContain(
      'Method id_doc_scan Age born 2001-05-17 Verified 2025-06-01 Provenance /veratad/roc Attributes issuing_country: US',
    )
  })

  it('gathers the attributes of an age signal under one term', () => {
    const [signal] = createView().signals
    if (!signal) throw new Error('the view has no signal')
    const attributes = ['face_match_performed: true', 'issuing_country: US']
    const text = textOf(renderCreate(createView({ signals: [{ ...signal, attributes }] })))
    expect(text).toContain('Attributes face_match_performed: true issuing_country: US')
    expect(textOf(renderCreate(createView({ signals: [{ ...signal, attributes: [] }] })))).not.toContain('Attributes')
  })
})
