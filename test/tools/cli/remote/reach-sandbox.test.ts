import { expect, test } from 'vitest'
import { reachSandbox } from '../../../../src/tools/cli/remote/reach-sandbox.ts'

test.each([
  ['127.0.0.1', 'http://localhost:2435'],
  ['localhost', 'http://localhost:2435'],
  ['0.0.0.0', 'http://localhost:2435'],
  ['::', 'http://localhost:2435'],
  ['::1', 'http://[::1]:2435'],
  ['fd00::1', 'http://[fd00::1]:2435'],
  ['192.168.1.20', 'http://192.168.1.20:2435'],
])('A sandbox that listens on %s is asked at %s', async (host, url) => {
  expect((await reachSandbox({ host }, {})).url).toBe(url)
})
