import { describe, expect, it } from 'vitest'
import { byTestId, tagsOf } from '../support/markup.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { createRequest, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const sheetOn = (page: string) =>
  tagsOf(page).findLast(({ attributes }) => attributes['rel'] === 'stylesheet')?.attributes['href'] ?? ''
const themeOn = (page: string) => tagsOf(page)[0]?.attributes['data-theme']

describe('the appearance of a hosted page', () => {
  it('is a style sheet of the sandbox, with what the request asks for', async () => {
    const sandbox = await startSandbox()
    const query = useRequest({ theme: 'dark', primary_color: 'Teal', button_radius: '4', gradient: 'maybe' })
    const { text } = await sandbox.request.get('/v1/oidc/use').query(query)
    expect(themeOn(text)).toBe('light')
    const sheet = await sandbox.request.get(sheetOn(text))
    expect(sheet.headers['content-type']).toBe('text/css; charset=utf-8')
    expect(sheet.text).toContain('--primary: #008080;')
    expect(sheet.text).toContain('--radius: 4px;')
    expect(sheet.text).not.toContain('--band')
  })

  it('leaves the theme alone when no value is permitted', async () => {
    const sandbox = await startSandbox()
    const { text } = await sandbox.request
      .get('/v1/oidc/use')
      .query(useRequest({ theme: 'dark', text_align: 'justify' }))
    expect(themeOn(text)).toBe('dark')
    expect(sheetOn(text)).toMatch(/app\.css$/)
  })

  it.each([
    'primary_color=red;}body{display:none',
    'font=%22%3B%7D%20*%7Bcolor%3Ared',
    'button_radius=99',
    'unknown=1',
    'font=%FF',
    '',
  ])('takes no other value from the address of the style sheet: %s', async (query) => {
    const sandbox = await startSandbox()
    const plain = await sandbox.request.get('/_sandbox/appearance.css')
    const sheet = await sandbox.request.get('/_sandbox/appearance.css').query(query).expect(200)
    expect(sheet.text).toBe(plain.text)
  })

  it('E3 takes language and theme and nothing else', async () => {
    const sandbox = await startSandbox()
    const requestUri = await createRelyingParty(sandbox).obtainRequestUri()
    const changes = { theme: 'dark', language: 'fr', primary_color: 'red', learn_more: 'true' }
    const { text } = await sandbox.request.get('/v1/oidc/create').query(createRequest(requestUri, changes))
    expect(tagsOf(text)[0]?.attributes).toMatchObject({ 'data-theme': 'dark', lang: 'fr' })
    expect(sheetOn(text)).toMatch(/app\.css$/)
    expect(byTestId(text, 'learn-more')).toEqual([])
  })
})
