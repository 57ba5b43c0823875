import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { buildCli } from '../built-cli.ts'

const { start } = await buildCli()

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agekey-cwd-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

/** Replaces the file in one step: a sandbox that reads it never finds it empty. */
function writeFile(text: string): void {
  const draft = join(cwd, 'draft.yaml')
  writeFileSync(draft, text)
  renameSync(draft, join(cwd, 'agekey-sandbox.yaml'))
}
const writeConfig = (name: string) =>
  writeFile(`clients: [{ client_id: shop, client_secret: s, name: ${name}, redirect_uris: [http://localhost/cb] }]\n`)

/** The title of the choice page that a request of the client gets. */
async function titleOfChoicePage(url: string): Promise<string> {
  const query = new URLSearchParams({
    client_id: 'shop',
    redirect_uri: 'http://localhost/cb',
    scope: 'openid',
    response_type: 'id_token',
    state: 's',
    nonce: 'n',
    claims: '{"age_thresholds":[18]}',
  })
  const page = await fetch(`${url}/v1/oidc/use?${query}`)
  return /<title>([^<]*)/.exec(await page.text())?.[1] ?? ''
}

test('a client that is renamed in the config file has its new name on the next page, without a restart', async () => {
  writeConfig('Old shop')
  const { child, output, ended } = await start(['--port', '0', '--log', 'json'], { cwd })
  const { url } = JSON.parse(output.split('\n')[0] ?? '')
  expect(await titleOfChoicePage(url)).toContain('Old shop')

  writeConfig('New shop')
  await vi.waitFor(async () => expect(await titleOfChoicePage(url)).toContain('New shop'), { timeout: 15_000 })

  // A file that is wrong is reported, and the clients stay.
  const reported = new Promise<string>((resolve) => child.stderr.once('data', (text) => resolve(String(text))))
  writeFile('clientz: []\n')
  expect(await reported).toContain('clientz')
  expect(await titleOfChoicePage(url)).toContain('New shop')
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})
