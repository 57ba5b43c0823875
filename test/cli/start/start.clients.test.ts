import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { watchClients } from '../../../src/cli/start/start.ts'
import { folderWith } from '../../support/folder-with.ts'
import { sendUse } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

const PATIENCE = { timeout: 10_000, interval: 200 }

test('A client that is renamed in the config file has its new name on the next page; a file that is wrong is reported', async () => {
  const folder = folderWith({ 'agekey-sandbox.yaml': '' })
  const file = join(folder, 'agekey-sandbox.yaml')
  /** Replaces the file in one step: a sandbox that reads it never finds it empty. */
  const write = (text: string) => {
    writeFileSync(join(folder, 'draft.yaml'), text)
    renameSync(join(folder, 'draft.yaml'), file)
  }
  const sandbox = await startSandbox()
  const warnings: string[] = []
  const report = { warning: (message: string) => void warnings.push(message) }
  onTestFinished(watchClients(file, { flags: { config: file, 'state-dir': 'none' }, sandbox, report }))
  const request = { client_id: 'shop', redirect_uri: 'http://localhost/cb' }
  const title = async () => /<title>([^<]*)/.exec(await (await sendUse(sandbox.url, request)).text())?.[1]

  // The first look at the file comes a moment after the call, and sees no change: a file is written until a look sees a change.
  const changed = (text: string, expectation: () => Promise<unknown>) =>
    vi.waitFor(async () => {
      write(text)
      await expectation()
    }, PATIENCE)
  const client = 'client_id: shop, client_secret: s, name: New shop, redirect_uris: [http://localhost/cb]'
  await changed(`clients: [{ ${client} }]\n`, async () => expect(await title()).toContain('New shop'))
  await changed('clientz: []\n', async () => expect(warnings).toContainEqual(expect.stringContaining('clientz')))
  expect(await title()).toContain('New shop')
})
