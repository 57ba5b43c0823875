import { expect, test } from 'vitest'
import { findRow, OUTCOMES } from '../../../../src/sandbox/outcomes/catalogue.ts'
import { renderOutcome } from '../../../../src/workbench/console/force/outcomes.ts'
import { tagsOf, textOf } from '../../../support/markup.ts'
import { shareSandbox } from '../../../support/sandbox.ts'
import { frame } from '../views.ts'

const PAGE = '/_sandbox/console/outcomes'
const QUEUE = '/_sandbox/console/force'
const sandbox = await shareSandbox()
const read = async (query: object = {}) => (await sandbox.request.get(PAGE).query(query)).text

test('The page of an outcome says what is gained when the outcome gets through', () => {
  const row = findRow('use/id_token.nonce_missing') ?? expect.fail('there is no such row')
  const text = textOf(renderOutcome(frame, row, 'http://localhost:2435'))
  for (const part of [row.summary, row.harm, row.rule, ...row.refs, 'refuses', 'must 8.1'])
    expect(text).toContain(part)
})

test('The page of outcomes finds rows by any word of their text', async () => {
  const shown = async (q: string) => textOf(await read({ q }))
  expect(await shown('RFC 7519 section 4.1.5')).toContain('id_token.nbf_future')
  expect(await shown('presses Cancel')).toContain('access_denied')
  expect(await shown('hardening')).not.toContain('id_token.nbf_future')
})

test('The page of outcomes has a link that queues each outcome', async () => {
  const hrefs = tagsOf(await read()).map(({ attributes }) => attributes['href'])
  const expected = OUTCOMES.flatMap(({ flow, name }) => [
    `${PAGE}/${flow}/${name}`,
    `${QUEUE}?flow=${flow}&outcome=${name}#queue`,
  ])
  expect(expected.filter((href) => !hrefs.includes(href))).toEqual([])
})

test('The page of outcomes shows the outcomes of a level in a flow', async () => {
  const tags = tagsOf(await read({ level: 'may', flow: 'token' }))
  const shown = tags.flatMap(({ name, attributes }) =>
    name === 'tr' ? (attributes['id'] ?? []) : [],
  )
  const those = OUTCOMES.filter(({ level, flow }) => level === 'may' && flow === 'token')
  expect(those.length).toBeGreaterThan(0)
  expect(shown).toEqual(those.map(({ name }) => `token-${name}`))
})

test('The page of an unknown outcome is refused with the nearest names', async () => {
  const answer = await sandbox.request.get(`${PAGE}/use/acess_denied`).set('Accept', 'text/html')
  expect(answer.status).toBe(404)
  expect(textOf(answer.text)).toContain('access_denied')
})
