import { expect, test } from 'vitest'
import { readError } from '../support/error-body.ts'
import { startSandbox } from '../support/sandbox.ts'

test('A body that is too large is refused with its size and the limit', async () => {
  const { request } = await startSandbox()
  const answer = await request
    .post('/v1/oidc/create/par')
    .type('form')
    .send(`state=${'x'.repeat(70_000)}`)
    .expect(413)
  expect(readError(answer).error_description).toBe(
    'the body has 70006 bytes, and 65536 are read at most: send fewer or shorter values',
  )
})

test('A body that is compressed is refused with its encoding', async () => {
  const { request } = await startSandbox()
  const call = request.post('/v1/oidc/create/par').type('form').set('Content-Encoding', 'gzip')
  expect(readError(await call.send('state=x').expect(415)).error_description).toBe(
    'Content-Encoding gzip is not read: send the body without it',
  )
})
