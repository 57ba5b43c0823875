import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const APP = fileURLToPath(new URL('../../examples/express/app.js', import.meta.url))

/** Runs the example against a sandbox; resolves to its address. */
async function startApp({ url, baseUrl }: TestSandbox): Promise<string> {
  const env = { PATH: process.env['PATH'], PORT: '0', AGE_ISSUER: `${baseUrl}/v1/oidc/use`, AGE_SERVER_URL: url }
  const app = spawn(process.execPath, [APP], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void app.kill())
  const [line] = await new Promise<string[]>((resolve) =>
    app.stdout.once('data', (text) => resolve(`${text}`.split('\n'))),
  )
  return line ?? ''
}

/** Goes through a flow as a browser does, and resolves to what the app says at the end. */
async function visit(address: string): Promise<{ status: number; text: string }> {
  const response = await fetch(address)
  const text = await response.text()
  const [, action] = /<form [^>]*action="([^"]*)"/.exec(text) ?? []
  if (action === undefined) return { status: response.status, text }
  const fields = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  const body = new URLSearchParams(fields.map(([, name = '', value = '']): [string, string] => [name, value]))
  const answer = await fetch(action, { method: 'POST', body })
  return { status: answer.status, text: await answer.text() }
}

describe('the Express example', () => {
  test('lets an adult in', async () => {
    const sandbox = await startSandbox({ persona: 'adult-passport' })
    expect(await visit(`${await startApp(sandbox)}/verify`)).toMatchObject({
      status: 200,
      text: 'Welcome, you are 18.',
    })
  })

  test('saves an age key for a user who has none, who then gets in', async () => {
    const sandbox = await startSandbox({ persona: 'no-age-key' })
    const app = await startApp(sandbox)
    expect((await visit(`${app}/verify`)).text).toContain('Your age key is saved.')
    expect((await visit(`${app}/verify`)).text).toBe('Welcome, you are 18.')
  })

  test('upgrades an age key that fails, and the user gets in', async () => {
    const sandbox = await startSandbox({ persona: 'teen-16' })
    const app = await startApp(sandbox)
    expect((await visit(`${app}/verify`)).text).toContain('Your age key says more now.')
    expect((await visit(`${app}/verify`)).text).toBe('Welcome, you are 18.')
  })

  test.each([
    'access_denied',
    'id_token.alg_none',
    'id_token.payload_changed',
    'id_token.foreign_key_same_kid',
    'id_token.iss_of_create',
    'id_token.aud_of_other_client',
    'id_token.nonce_other',
    'callback.state_of_other_session',
  ])('lets nobody in by %s', async (outcome) => {
    const sandbox = await startSandbox({ persona: 'adult-passport', outcome })
    const { status, text } = await visit(`${await startApp(sandbox)}/verify`)
    expect(text).not.toContain('Welcome')
    expect(status).toBeGreaterThanOrEqual(400)
  })
})
