import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describeApp } from './describe-app.ts'

const APP = fileURLToPath(new URL('../../examples/express/app.js', import.meta.url))

describeApp('The Express example', async ({ baseUrl, url }) => {
  const env = { PATH: process.env['PATH'], PORT: '0', AGE_BASE_URL: baseUrl, AGE_SERVER_URL: url }
  const app = spawn(process.execPath, [APP], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = await once(app.stdout, 'data')
  return { url: `${line}`.trim(), stop: () => void app.kill() }
})
