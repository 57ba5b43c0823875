import { expect, test } from 'vitest'
import { explainName } from '../../../src/client/explain-name.ts'
import { sendUse } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { run } from '../in-process.ts'

const NAMES = ['use-04', 'id_token.expired', 'create/access_denied']

test.each(NAMES)('explain %s is in the words of explainName', async (name) => {
  const explained = explainName(name)
  const lines = explained.kind === 'unknown' ? [] : explained.lines
  expect(await run(['explain', name])).toEqual({ code: 0, stdout: `${lines.join('\n')}\n`, stderr: '' })
})

test('explain says of a flow by its id why it ended so, its calls, its findings and what comes next', async () => {
  const { url } = await startSandbox()
  await sendUse(url, { sandbox_persona: 'teen-16', foo: '1' })
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

test('explain finds a flow of a tenant by the address of its page, also as JSON, and by --tenant', async () => {
  const { url } = await startSandbox()
  await sendUse(`${url}/t/qa`, { response_type: 'code' })
  const page = `${url}/t/qa/_sandbox/console/flows/f1`
  const { stdout } = await run(['explain', page, '--json'])
  const steps = [/state/, /findings/].map((text) => expect.stringMatching(text))
  expect(JSON.parse(stdout)).toMatchObject({ id: 'f1', tenant: 'qa', status: 'error', page, next_steps: steps })
  expect((await run(['explain', 'f1', '--url', url, '--tenant', 'qa'])).stdout).toContain('USE-04')
})

test('explain takes the sandbox from AGEKEY_SANDBOX_URL or the settings, and names the newest flow for an unknown one', async () => {
  const { url } = await startSandbox()
  await sendUse(url)
  const env = { AGEKEY_SANDBOX_URL: url }
  expect((await run(['explain', 'f1'], { env })).code).toBe(0)
  expect((await run(['explain', 'f1', '--port', new URL(url).port])).code).toBe(0)
  const stderr = expect.stringMatching(/^error: flow: there is none with the id "f9".*; the newest one here is f1\n$/)
  expect(await run(['explain', 'f9'], { env })).toEqual({ code: 1, stdout: '', stderr })
})

test('explain refuses a tenant that is not there, and makes none', async () => {
  const sandbox = await startSandbox()
  const { code, stderr } = await run(['explain', 'f1', '--url', sandbox.url, '--tenant', 'typo'])
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: tenant: there is no tenant "typo"\./)])
  expect((await sandbox.request.get('/_sandbox/tenants')).body.tenants).toMatchObject([{ name: 'default' }])
})

test.each([
  ['explain id_token.expire', /^error: there is no rule and no outcome "id_token\.expire"\. Did you mean /],
  ['explain f1 --url localhost:2435', /^error: --url: "localhost:2435" is not a URL like http:/],
  ['explain f1 --url http://127.0.0.1:9', /^error: http:\/\/127\.0\.0\.1:9: /],
  ['outcomes show use-04', /^error: USE-04 is a rule, not an outcome; agekey-sandbox explain USE-04 explains it$/m],
  ['explain f1 --port 0', /^error: --url: needed, because port 0 /],
])('"%s" ends with one line on stderr and exit code 1', async (args, line) => {
  const { code, stdout, stderr } = await run([...args.split(' '), '--json'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(line)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

test('explain asks for the control token where a sandbox wants one, and sends it', async () => {
  const { url } = await startSandbox({ controlToken: 'secret-token-1', baseUrl: 'http://sandbox.example' })
  await sendUse(url)
  const { code, stderr } = await run(['explain', 'f1', '--url', url])
  expect([code, stderr]).toEqual([1, expect.stringMatching(/; give it by --control-token\n$/)])
  expect((await run(['explain', 'f1', '--url', url, '--control-token', 'secret-token-1'])).code).toBe(0)
})
