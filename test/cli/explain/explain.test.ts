import { describe, expect, test } from 'vitest'
import { explainName } from '../../../src/client/explain-name.ts'
import { claims, useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { buildCli } from '../built-cli.ts'

const { run } = await buildCli()

const visit = (url: string, changes = {}) => {
  const request = useRequest({ claims: claims({ age_thresholds: [18] }), ...changes })
  return fetch(`${url}/v1/oidc/use?${new URLSearchParams(request)}`, { redirect: 'manual' })
}

describe('explain', () => {
  test('explains a rule and an outcome in the words of explainName', async () => {
    for (const name of ['use-04', 'id_token.expired', 'create/access_denied']) {
      const explained = explainName(name)
      const lines = explained.kind === 'unknown' ? [] : explained.lines
      expect(await run(['explain', name])).toEqual({ code: 0, stdout: `${lines.join('\n')}\n`, stderr: '' })
    }
  })

  test('explains a flow of a running sandbox by its id: why it ended so, its calls, its findings and what comes next', async () => {
    const { url } = await startSandbox()
    await visit(url, { sandbox_persona: 'teen-16', foo: '1' })
    const { code, stdout, stderr } = await run(['explain', 'f1', '--url', url])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^f1 use ok: teen-16: 18 no/)
    expect(stdout).toContain(`${url}/_sandbox/console/flows/f1`)
    expect(stdout).toContain('Decided by query parameter sandbox_persona.')
    expect(stdout).toMatch(/E1 Use authorization: GET \/v1\/oidc\/use 302 to \S+ with id_token, state$/m)
    expect(stdout).toMatch(/advice USE-11: .*\n +To mend it: /)
    expect(stdout).toMatch(/^What a correct client does next\n {2}Compare state/m)
    expect(stdout).not.toContain('eyJ')
  })

  test('explains a flow of a tenant by the address of its page, also as JSON', async () => {
    const { url } = await startSandbox()
    await visit(`${url}/t/qa`, { response_type: 'code' })
    const page = `${url}/t/qa/_sandbox/console/flows/f1`
    const { stdout } = await run(['explain', page, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'f1',
      tenant: 'qa',
      status: 'error',
      page,
      next_steps: [/state/, /findings/].map((text) => expect.stringMatching(text)),
    })
    expect((await run(['explain', 'f1', '--url', url, '--tenant', 'qa'])).stdout).toContain('USE-04')
  })

  test('takes the sandbox from AGEKEY_SANDBOX_URL, or from the settings', async () => {
    const { url } = await startSandbox()
    await visit(url)
    const { port } = new URL(url)
    expect((await run(['explain', 'f1'], { env: { AGEKEY_SANDBOX_URL: url } })).code).toBe(0)
    expect((await run(['explain', 'f1', '--port', port])).code).toBe(0)
  })

  test('refuses a tenant that is not there, and makes none', async () => {
    const sandbox = await startSandbox()
    const { code, stderr } = await run(['explain', 'f1', '--url', sandbox.url, '--tenant', 'typo'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: tenant: there is no tenant "typo"\./)
    const { tenants } = await (await fetch(`${sandbox.url}/_sandbox/tenants`)).json()
    expect(tenants.map(({ name }: { name: string }) => name)).toEqual(['default'])
  })

  test('says of a flow that is not there which one is the newest', async () => {
    const { url } = await startSandbox()
    await visit(url)
    const { code, stdout, stderr } = await run(['explain', 'f9', '--url', url])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^error: flow: there is none with the id "f9".*; the newest one here is f1\n$/)
  })

  test.each([
    [['explain', 'id_token.expire'], /^error: there is no rule and no outcome "id_token\.expire"\. Did you mean /],
    [['explain', 'f1', '--url', 'localhost:2435'], /^error: --url: "localhost:2435" is not a URL like http:/],
    [['explain', 'f1', '--url', 'http://127.0.0.1:9'], /^error: http:\/\/127\.0\.0\.1:9: /],
    [
      ['outcomes', 'show', 'use-04'],
      /^error: USE-04 is a rule, not an outcome; agekey-sandbox explain USE-04 explains it$/m,
    ],
    [['explain', 'f1', '--port', '0'], /^error: --url: needed, because port 0 /],
  ])('%j ends with one line on stderr and exit code 1', async (args, line) => {
    const { code, stdout, stderr } = await run([...args, '--json'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(line)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test('asks for the control token where a sandbox wants one, and sends it', async () => {
    const { url } = await startSandbox({ controlToken: 'secret-token-1', baseUrl: 'http://sandbox.example' })
    await visit(url)
    const { code, stderr } = await run(['explain', 'f1', '--url', url])
    expect(code).toBe(1)
    expect(stderr).toMatch(/; give it by --control-token\n$/)
    expect((await run(['explain', 'f1', '--url', url, '--control-token', 'secret-token-1'])).code).toBe(0)
  })
})
