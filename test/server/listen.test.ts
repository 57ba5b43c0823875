import { expect, onTestFinished, test } from 'vitest'
import { createServerWith, listen } from '../../src/server/listen.ts'

test('A server goes on after connections that could not be accepted', async () => {
  const server = await createServerWith(undefined, {})
  onTestFinished(() => void server.close())
  await listen(server, 0, '127.0.0.1')
  const noDescriptor = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' })
  for (let n = 0; n < 3; n++) server.emit('error', noDescriptor)
  expect(server.listening).toBe(true)
})
