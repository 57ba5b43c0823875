import { expect, test } from 'vitest'
import { renderOutcome } from '../../../src/console/catalogues/outcome.ts'
import { findRow, OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import { tagsOf, textOf } from '../../support/markup.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { frame } from '../views.ts'

test('the page of an outcome says what is gained when it gets through, where the check is demanded and how binding it is', () => {
  const row = findRow('use/id_token.nonce_missing') ?? expect.fail('there is no such row')
  const text = textOf(renderOutcome(frame, row, 'http://localhost:2435'))
  for (const part of [row.summary, row.harm, row.rule, ...row.refs, 'refuses', 'must 8.1']) expect(text).toContain(part)
})

test('the page of outcomes finds rows by level, reference and harm', async () => {
  const { request } = await startSandbox()
  const shown = async (q: string) =>
    textOf((await request.get('/_sandbox/console/outcomes').query({ q }).set('Accept', 'text/html')).text)
  expect(await shown('RFC 7519 section 4.1.5')).toContain('id_token.nbf_future')
  expect(await shown('presses Cancel')).toContain('access_denied')
  expect(await shown('hardening')).not.toContain('id_token.nbf_future')
})

test('the page of outcomes has all of them at once, each with a link to queue it', async () => {
  const { request } = await startSandbox()
  const { text } = await request.get('/_sandbox/console/outcomes')
  const hrefs = tagsOf(text).map(({ attributes }) => attributes['href'])
  for (const { flow, name } of OUTCOMES) {
    expect(hrefs).toContain(`/_sandbox/console/outcomes/${flow}/${name}`)
    expect(hrefs).toContain(`/_sandbox/console/expectations?flow=${flow}&outcome=${name}`)
  }
})

test('the page of outcomes limits them to a level and to a flow', async () => {
  const { request } = await startSandbox()
  const shown = async (query: object) => {
    const { text } = await request.get('/_sandbox/console/outcomes').query(query)
    return tagsOf(text).flatMap(({ name, attributes }) => (name === 'tr' ? (attributes['id'] ?? []) : []))
  }
  const expected = OUTCOMES.filter(({ level, flow }) => level === 'may' && flow === 'token')
  expect(expected.length).toBeGreaterThan(0)
  expect(await shown({ level: 'may', flow: 'token' })).toEqual(expected.map(({ name }) => `token-${name}`))
})

test('an unknown outcome is refused with the nearest names', async () => {
  const { request } = await startSandbox()
  const answer = await request.get('/_sandbox/console/outcomes/use/acess_denied').set('Accept', 'text/html')
  expect([answer.status, textOf(answer.text)]).toEqual([404, expect.stringContaining('access_denied')])
})
