import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startAppServer } from '../clients/app-server.ts'
import { startExpressExample } from '../support/express-example.ts'
import { describeApp } from './describe-app.ts'

describeApp('The Express example', (sandbox) => startExpressExample(sandbox))

test('The Express example says that its port is taken', async () => {
  const { port } = new URL((await startAppServer()).url)
  const file = fileURLToPath(new URL('../../examples/express/app.js', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [file], {
    env: { PORT: port },
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  expect(stderr).toContain(`listen EADDRINUSE: address already in use`)
})
