import { expect, test } from 'vitest'
import { refusal } from '../support/error-body.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { startSandbox } from '../support/sandbox.ts'

const FIFTY = Array.from({ length: 50 })

test('E4 gives a token to exactly one of 50 callers that exchange one code at once', async () => {
  const rp = createRelyingParty(await startSandbox())
  const code = await rp.obtainCode()
  const answers = await Promise.all(FIFTY.map(() => rp.exchange(code)))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused).toHaveLength(49)
  for (const answer of refused) {
    expect(refusal(answer)).toEqual({ status: 400, error: 'invalid_grant', rules: ['TOK-07'] })
  }
})

test('E3 takes exactly one of 50 decisions on one request_uri at once', async () => {
  const sandbox = await startSandbox()
  const rp = createRelyingParty(sandbox)
  const requestUri = await rp.obtainRequestUri()
  const before = (await sandbox.personas.list()).length
  const callbacks = await Promise.all(FIFTY.map(() => rp.create(requestUri, { sandbox_outcome: 'created_new' })))
  const refused = callbacks.filter(({ params }) => 'error' in params)
  expect(refused).toHaveLength(49)
  for (const { params } of refused) expect(params).toMatchObject({ error: 'invalid_request_uri', state: 'state-1' })
  expect(await sandbox.personas.list()).toHaveLength(before + 1)
})

test('E1 issues a code of its own for each of 50 flows at once, and each can be exchanged', async () => {
  const rp = createRelyingParty(await startSandbox())
  const codes = await Promise.all(FIFTY.map(() => rp.obtainCode()))
  expect(new Set(codes).size).toBe(50)
  const answers = await Promise.all(codes.map((code) => rp.exchange(code)))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
})
