import { expect, test } from 'vitest'
import { renderOutcomes } from '../../src/console/outcomes.ts'
import { findRow } from '../../src/sandbox/outcomes/catalogue.ts'
import { textOf } from '../support/markup.ts'
import { startSandbox } from '../support/sandbox.ts'
import { frame } from './views.ts'

test('the page of outcomes says of each what is gained when it gets through, where the check is demanded and how binding it is', () => {
  const row = findRow('use/id_token.nonce_missing') ?? expect.fail('there is no such row')
  const text = textOf(renderOutcomes(frame, [row], { flow: 'use', q: '', skip: 0 }))
  for (const part of [row.summary, row.harm, row.rule, ...row.refs, 'refuse', 'must 8.1']) expect(text).toContain(part)
})

test('the page of outcomes finds rows by level, reference and harm', async () => {
  const { request } = await startSandbox()
  const shown = async (q: string) =>
    textOf((await request.get('/_sandbox/console/outcomes').query({ q }).set('Accept', 'text/html')).text)
  expect(await shown('RFC 7519 section 4.1.5')).toContain('id_token.nbf_future')
  expect(await shown('presses Cancel')).toContain('access_denied')
  expect(await shown('hardening')).not.toContain('id_token.nbf_future')
})
