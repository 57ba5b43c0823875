import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { agrees, honest, lists, startVerificationsApp } from '../../audit/drill/verifications-app.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { startWebApp } from '../../support/web-app.ts'
import { buildCli } from '../built-cli.ts'

const { run } = await buildCli()

const GET = '/admin/verifications?sub={sub}'

describe('agekey-sandbox drill', () => {
  test('prints a line for each sub and ends with 0, when the app finds each', async () => {
    const sandbox = await startSandbox()
    const app = await startVerificationsApp(sandbox)
    const sub = await app.prove()
    await app.prove({ sandbox_persona: 'child-12' })
    await app.prove({ sandbox_outcome: 'id_token.expired' })
    const { code, stdout, stderr } = await run(['drill', app.url, '--get', GET, '--url', sandbox.url])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`asked:   GET ${app.url}${GET}\n`)
    expect(stdout).toMatch(new RegExp(`^f1 {2}\\S+ \\S+Z {2}adult-passport {2}13 yes, .* {2}${sub} {2}found$`, 'm'))
    expect(stdout).toContain('1 answer that an outcome changed is left out: no app should keep it\n')
    expect(stdout).toMatch(/\n1 of 1 found: your app could act, were one of them revoked\n$/)
  })

  test('ends with 1 and says what to do, when an app keeps only the last sub or answers 200 with an empty list', async () => {
    const sandbox = await startSandbox()
    const app = await startVerificationsApp(sandbox, lists, { keeps: 'last' })
    for (let count = 0; count < 3; count++) await app.prove()
    const { code, stdout } = await run(['drill', app.url, '--get', GET, '--url', sandbox.url])
    expect(code).toBe(1)
    expect(stdout).toContain('1 of 3 found; f1, f2 are not:\n')
    expect(stdout).toContain('  f1 as adult-passport, 13 yes, 16 yes, 18 yes, 21 yes: its 200 does not hold the sub\n')
    expect(stdout).toContain(`    ${sandbox.url}/_sandbox/console/flows/f1\n`)
    expect(stdout).toContain('Keep the sub of each id_token that you accept')
    const last = await run(['drill', app.url, '--get', GET, '--url', sandbox.url, '--since', 'f2', '--json'])
    expect(last.code).toBe(0)
    expect(JSON.parse(last.stdout)).toMatchObject({
      found: 1,
      total: 1,
      exit_code: 0,
      subs: [{ flow: 'f3', state: 'found' }],
    })
  })

  test('asks as agekey-audit.yaml says, with a secret of the environment that it never prints', async () => {
    const sandbox = await startSandbox()
    const app = await startVerificationsApp(sandbox, (asked, kept, request, response) =>
      request.headers['x-admin'] === 's3cret' ? honest(asked, kept, request, response) : response.writeHead(401).end(),
    )
    await app.prove()
    const audit = `{ get: '${GET}', headers: { X-Admin: '{env:ADMIN}' } }`
    const cwd = mkdtempSync(join(tmpdir(), 'agekey-drill-'))
    onTestFinished(() => rmSync(cwd, { recursive: true }))
    writeFileSync(join(cwd, 'agekey-audit.yaml'), `app: ${app.url}/verify\naudit: ${audit}\n`)
    const runs = [
      await run(['drill', '--url', sandbox.url], { cwd, env: { ADMIN: 's3cret' } }),
      await run(['drill', '--url', sandbox.url], { cwd, env: { ADMIN: 'wr0ng' } }),
      await run(['drill', '--url', sandbox.url], { cwd }),
    ]
    expect(runs.map(({ code }) => code)).toEqual([0, 2, 2])
    expect(runs[1]?.stderr).toMatch(
      /^error: GET .*: it answered 401: it wants a sign-in, or a token; give it as a header\n$/,
    )
    expect(runs[2]?.stderr).toBe(
      'error: agekey-audit.yaml:2: audit: headers: X-Admin needs the variable "ADMIN" of the environment, which is not set\n',
    )
    for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toMatch(/s3cret|wr0ng/)
  })

  test('ends with 2 and one line, when nothing can be shown', async () => {
    const sandbox = await startSandbox()
    const app = await startVerificationsApp(sandbox, agrees)
    const down = await startWebApp(() => {})
    const drill = (...args: string[]) => run(['drill', ...args, '--get', GET, '--url', sandbox.url])
    const empty = await drill(app.url)
    await app.prove()
    const all = await drill(app.url)
    const silent = await drill(down.url, '--timeout', '0.3')
    const nobody = await drill('http://127.0.0.1:9')
    for (const { code, stdout, stderr } of [empty, all, silent, nobody]) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^error: .+\n$/)
    }
    expect(empty.stderr).toContain('the sandbox holds no flow')
    expect(all.stderr).toContain('your app also finds a sub that it never received')
    expect(silent.stderr).toContain('did not answer in time')
    expect(nobody.stderr).toContain('cannot be reached: nothing answers there')
  })

  test.each([
    [['--since', 'yesterday'], '--since: "yesterday" is not the id of a flow like f12; the console shows them'],
    [['--age', 'adult'], '--age: "adult" is not an age in years like 18'],
    [['--timeout', '0'], '--timeout: "0" is not a number of seconds above 0'],
    [['--tenant', 'nope', '--get', GET], /there is no tenant/],
    [['--url', 'http://127.0.0.1:4', '--get', GET], /nothing listens there; start a sandbox/],
  ])('refuses %j with one line and 2', async (args, expected) => {
    const sandbox = await startSandbox()
    const { code, stderr } = await run(['drill', 'http://localhost:3000', '--url', sandbox.url, '--get', GET, ...args])
    expect(code).toBe(2)
    expect(stderr).toMatch(typeof expected === 'string' ? `error: ${expected}\n` : expected)
  })
})
