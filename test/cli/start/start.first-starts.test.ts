import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { rawCall } from '../../server/raw-call.ts'
import { buildCli } from '../built-cli.ts'

const { start } = await buildCli()
const STARTS = 12

test('Twelve first starts at once on one state folder serve the same keys, by one certificate that fits its key', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'agekey-first-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  const args = ['-p', '0', '--log', 'json', '--https', '--state-dir', 'state/of/all']
  const servers = await Promise.all(Array.from({ length: STARTS }, () => start(args, { cwd })))
  const ready: { url: string; certificate: string }[] = servers.map(({ output }) =>
    JSON.parse(output.split('\n')[0] ?? ''),
  )

  const ca = readFileSync(ready[0]?.certificate ?? '', 'utf8')
  const keySets = await Promise.all(
    ready.map(async ({ url }) => (await rawCall(`${url}/.well-known/jwks.json`, { ca })).text),
  )
  expect(keySets).toHaveLength(STARTS)
  expect(new Set(keySets).size).toBe(1)
  const names = readdirSync(join(cwd, 'state/of/all')).sort()
  expect(names).toEqual(['.gitignore', 'signing-keys.json', 'tls-certificate.pem', 'tls-key.pem'])
}, 60_000)
