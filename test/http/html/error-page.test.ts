import { describe, expect, it } from 'vitest'
import { renderError } from '../../../src/http/html/error-page.ts'
import type { RenderedPage, Shell } from '../../../src/http/html/layout.ts'
import { Refusal } from '../../../src/oidc/refusal.ts'
import { errorView, shell } from '../../hosted/views.ts'
import { byTestId, tagsOf, textOf } from '../../support/markup.ts'

function render(changes: Partial<Shell> = {}): RenderedPage {
  const { refusal, shell } = errorView(changes)
  return renderError(refusal, { shell })
}

describe('the error page', () => {
  it('names the problem, with status and code', () => {
    expect(textOf(render())).toContain(
      '400 invalid_request Unknown persona sandbox_persona: there is no persona teen-61',
    )
  })

  it('lists each finding with rule, level, path, message and remedy', () => {
    expect(textOf(render())).toContain(
      'error CLM-04 claims.age_thresholds the thresholds are not ascending How to fix it: Send them in ascending order',
    )
  })

  it('leads to the flow of the call, and to the page on troubleshooting', () => {
    const { refusal, shell } = errorView({})
    const flow = { id: 'f7', url: 'http://localhost:2435/_sandbox/console/flows/f7' }
    const page = renderError(refusal, { shell, flow })
    expect(byTestId(page, 'flow-link').map(({ attributes }) => attributes['href'])).toEqual([flow.url])
    expect(page.html).toContain('/_sandbox/docs/troubleshooting"')
    expect(byTestId(render(), 'flow-link')).toEqual([])
  })

  it('lists near misses and says how to start again', () => {
    const text = textOf(render())
    expect(text).toContain('Did you mean teen-16 teen-17')
    expect(text).toContain('Start again from the app.')
  })

  it('leaves out the empty sections', () => {
    const page = renderError(Refusal.notFound('Nothing is at /x', { title: 'Not found' }), { shell })
    expect(byTestId(page, 'suggestions')).toEqual([])
    expect(textOf(page)).not.toContain('What to fix')
  })

  it('links to the home page and to a document, and has no form', () => {
    const tags = tagsOf(render({ homePath: '/t/red/' }))
    expect(tags.filter(({ name }) => name === 'form')).toEqual([])
    expect(tags.filter(({ name }) => name === 'a').map(({ attributes }) => attributes['href'])).toEqual([
      '/t/red/',
      '/t/red/',
      '/t/red/_sandbox/docs/troubleshooting',
      '/t/red/',
    ])
  })
})
