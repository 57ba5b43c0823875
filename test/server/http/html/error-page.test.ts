import { expect, test } from 'vitest'
import { renderError } from '../../../../src/server/http/html/error-page.ts'
import type { RenderedPage, Shell } from '../../../../src/server/http/html/layout.ts'
import { Refusal } from '../../../../src/service/oidc/refusal.ts'
import { Findings } from '../../../../src/service/oidc/rules/findings.ts'
import { byTestId, tagsOf, textOf } from '../../../support/markup.ts'
import { errorView, shell } from '../../pages/views.ts'

function render(changes: Partial<Shell> = {}, flow?: { id: string; url: string }): RenderedPage {
  const { refusal, shell } = errorView(changes)
  return renderError(refusal, { shell, flow })
}

test('The error page names the problem with its remedies', () => {
  const text = textOf(render())
  for (const part of [
    '400 invalid_request Unknown persona sandbox_persona: there is no persona teen-61',
    'error CLM-04 claims.age_thresholds the thresholds are not ascending How to fix it: Send them in ascending order',
    'Did you mean teen-16 teen-17',
    'Start again from the app.',
  ])
    expect(text).toContain(part)
})

test('A problem that the description says is not said again beside its rule, whatever signs RFC 6749 keeps out of a description', () => {
  const findings = new Findings('spec')
  findings.add('USE-01', { path: 'client_id', message: 'client_id "x" is not registered…' })
  findings.add('USE-08', { path: 'nonce', message: 'nonce is missing' })
  const text = textOf(renderError(findings.toRefusal(), { shell }))
  expect(text).toContain("USE-01: client_id 'x' is not registered... (and 1 more: USE-08)")
  expect(text).not.toContain('"x"')
  expect(text).toContain('USE-08 nonce nonce is missing')
})

test('The error page leads to the flow of the call', () => {
  const flow = { id: 'f7', url: 'http://localhost:2435/_sandbox/console/flows/f7' }
  expect(
    byTestId(render({}, flow), 'flow-link').map(({ attributes }) => attributes['href']),
  ).toEqual([flow.url])
  expect(byTestId(render(), 'flow-link')).toEqual([])
})

test('The error page leaves out the empty sections', () => {
  const page = renderError(Refusal.notFound('Nothing is at /x', { title: 'Not found' }), { shell })
  expect(byTestId(page, 'suggestions')).toEqual([])
  expect(textOf(page)).not.toContain('What to fix')
})

test('The error page has no form', () => {
  const tags = tagsOf(render({ homePath: '/t/red/' }))
  expect(tags.filter(({ name }) => name === 'form')).toEqual([])
})

test('The error page links to the home page beside a document', () => {
  const tags = tagsOf(render({ homePath: '/t/red/' }))
  const links = tags.filter(({ name }) => name === 'a').map(({ attributes }) => attributes['href'])
  expect(links).toEqual(['', '_sandbox/docs/troubleshooting', ''].map((path) => `/t/red/${path}`))
})
