import { describe, expect, it } from 'vitest'
import { renderCallbackForm } from '../../src/hosted/ending.ts'
import { tagsOf } from '../support/markup.ts'
import { formPostCallback, shell } from './views.ts'

describe('the callback form', () => {
  it('posts to the redirect_uri exactly as given, its query included', () => {
    const form = tagsOf(renderCallbackForm(formPostCallback, shell)).find(({ name }) => name === 'form')
    expect(form?.attributes).toMatchObject({ method: 'post', action: 'https://shop.example/callback?tab=age&x=1' })
  })

  it.each([
    ['markup', '"><script>alert(1)</script>'],
    ['a carriage return', 'a\rb'],
    ['quotes and an ampersand', `&amp;'"&`],
    ['nothing', ''],
  ])('carries a state with %s unchanged', (_, state) => {
    const page = renderCallbackForm({ ...formPostCallback, params: [['state', state]] }, shell)
    const fields = tagsOf(page).filter(({ name }) => name === 'input')
    expect(fields.map(({ attributes }) => attributes)).toEqual([{ type: 'hidden', name: 'state', value: state }])
  })

  it('carries a parameter twice when it is given twice, in order', () => {
    const params = [
      ['id_token', 'one'],
      ['id_token', 'two'],
    ] as const
    const fields = tagsOf(renderCallbackForm({ ...formPostCallback, params }, shell)).filter(
      ({ name }) => name === 'input',
    )
    expect(fields.map(({ attributes }) => attributes['value'])).toEqual(['one', 'two'])
  })

  it('has a button that works without scripts and adds no field', () => {
    const buttons = tagsOf(renderCallbackForm(formPostCallback, shell)).filter(({ name }) => name === 'button')
    expect(buttons).toEqual([{ name: 'button', attributes: { class: 'primary' } }])
  })

  it('loads the script that submits it', () => {
    const scripts = tagsOf(renderCallbackForm(formPostCallback, shell)).filter(({ name }) => name === 'script')
    expect(scripts.map(({ attributes }) => attributes)).toEqual([{ src: '/_sandbox/assets/submit.js', defer: '' }])
  })
})
