import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { honest, lists, startVerificationsApp } from '../../audit/drill/verifications-app.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { startWebApp } from '../../support/web-app.ts'
import { useScratchFolder } from '../audit/audit-in-process.ts'
import { run } from '../in-process.ts'

useScratchFolder()

const GET = '/admin/verifications?sub={sub}'

test('drill asks as agekey-audit.yaml says, prints a line for each sub, and ends with 0 when the app finds each', async () => {
  const sandbox = await startSandbox()
  const app = await startVerificationsApp(sandbox, (asked, kept, request, response) =>
    request.headers['x-admin'] === 's3cret' ? honest(asked, kept, request, response) : response.writeHead(401).end(),
  )
  const sub = await app.prove()
  await app.prove({ sandbox_persona: 'teen-16' })
  await app.prove({ sandbox_outcome: 'id_token.expired' })
  const audit = `{ get: '${GET}', headers: { X-Admin: '{env:ADMIN}' }, age: 18 }`
  writeFileSync('agekey-audit.yaml', `app: ${app.url}/verify\naudit: ${audit}\n`)
  const runWith = (ADMIN: string) => run(['drill', '--url', sandbox.url], { env: { ADMIN } })
  const { code, stdout, stderr } = await runWith('s3cret')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(`asked:   GET ${app.url}${GET}\n`)
  expect(stdout).toMatch(new RegExp(`^f1 {2}\\S+ \\S+Z {2}adult-passport {2}13 yes, .* {2}${sub} {2}found$`, 'm'))
  expect(stdout).toContain('1 answer that an outcome changed is left out: no app should keep it\n')
  expect(stdout).toMatch(/\n1 of 1 found: your app could act, were one of them revoked\n$/)
  expect(stdout).not.toContain('s3cret')
  const refused = /^error: GET .*: it answered 401: it wants a sign-in, or a token; give it as a header\n$/
  expect(await runWith('wr0ng')).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(refused) })
})

test('drill ends with 1 and says what to do, when an app keeps only the last sub or answers 200 with an empty list', async () => {
  const sandbox = await startSandbox()
  const app = await startVerificationsApp(sandbox, lists, { keeps: 'last' })
  for (let count = 0; count < 3; count++) await app.prove()
  const drill = (...args: string[]) => run(['drill', app.url, '--get', GET, '--url', sandbox.url, ...args])
  const { code, stdout } = await drill()
  expect(code).toBe(1)
  expect(stdout).toContain('1 of 3 found; f1, f2 are not:\n')
  expect(stdout).toContain('  f1 as adult-passport, 13 yes, 16 yes, 18 yes, 21 yes: its 200 does not hold the sub\n')
  expect(stdout).toContain(`    ${sandbox.url}/_sandbox/console/flows/f1\n`)
  expect(stdout).toContain('Keep the sub of each id_token that you accept')
  const last = await drill('--since', 'f2', '--json')
  const report = { found: 1, total: 1, exit_code: 0, subs: [{ flow: 'f3', state: 'found' }] }
  expect({ code: last.code, report: JSON.parse(last.stdout) }).toMatchObject({ code: 0, report })
  expect((await drill('--client', 'shop')).stderr).toMatch(/^error: there is no client .* "shop"/)
})

test('drill says in one line that an app does not answer within the time of --timeout', async () => {
  const sandbox = await startSandbox()
  await (await startVerificationsApp(sandbox)).prove()
  const silent = await startWebApp(() => {})
  const late = await run(['drill', silent.url, '--get', GET, '--url', sandbox.url, '--timeout', '0.3'])
  expect(late).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(/^error: .*did not answer in time.*\n$/) })
})

test.each([
  ['--since yesterday', /--since: "yesterday" is not the id of a flow like f12; the console shows them/],
  ['--skip f1 --skip one', /--skip: "one" is not the id of a flow like f12; the console shows them/],
  ['--age adult', /--age: "adult" is not an age in years like 18/],
  ['--timeout 0', /--timeout: "0" is not a number of seconds above 0/],
  ['--tenant nope', /.*there is no tenant.*/],
  ['--url http://127.0.0.1:4', /.*nothing listens there; start a sandbox.*/],
])('drill %s is refused with one line', async (args, line) => {
  const { url } = await startSandbox()
  const result = await run(['drill', 'http://localhost:3000', '--get', GET, '--url', url, ...args.split(' ')])
  const stderr = expect.stringMatching(new RegExp(`^error: ${line.source}\n$`))
  expect(result).toEqual({ code: 2, stdout: '', stderr })
})
