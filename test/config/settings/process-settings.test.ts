import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { connectSandbox } from '../../../src/client/connect-sandbox.ts'
import { loadSettings } from '../../../src/config/load-settings.ts'
import type { Texts } from '../../../src/config/text-settings.ts'
import { createSandbox } from '../../../src/server/create-sandbox.ts'

const cwd = mkdtempSync(join(tmpdir(), 'agekey-settings-'))
afterAll(() => rmSync(cwd, { recursive: true }))

const load = (flags: Texts = {}, env: Record<string, string> = {}) => loadSettings({ flags, env, cwd })
const loadFile = (text: string) => {
  writeFileSync(join(cwd, 'own.yaml'), text)
  return load({ config: 'own.yaml' })
}

describe.each(['', ' ', '   ', ' token', 'token ', 'to\nken', 'schlüssel', 'to\u0000ken'])(
  'The control token %j',
  (token) => {
    const PROBLEM = 'expected one or more printable ASCII characters, the first and the last of them no blank'

    test('is refused as a flag', async () => {
      await expect(load({ 'control-token': token })).rejects.toThrow(`--control-token: ${PROBLEM}`)
    })

    test('is refused in the environment, where an empty one counts as unset', async () => {
      const loading = load({}, { AGEKEY_SANDBOX_CONTROL_TOKEN: token })
      if (token === '') expect((await loading).sandbox.controlToken).toBeUndefined()
      else await expect(loading).rejects.toThrow(`AGEKEY_SANDBOX_CONTROL_TOKEN: ${PROBLEM}`)
    })

    test('is refused in a config file', async () => {
      const loading = loadFile(`control_token: ${JSON.stringify(token)}`)
      await expect(loading).rejects.toThrow(`own.yaml:1: control_token: ${PROBLEM}`)
    })

    test('is refused as an option of createSandbox and connectSandbox', async () => {
      await expect(createSandbox({ controlToken: token })).rejects.toThrow(`createSandbox: controlToken: ${PROBLEM}`)
      const connect = () => connectSandbox('http://localhost:1', { controlToken: token })
      expect(connect).toThrow(`connectSandbox: controlToken: ${PROBLEM}`)
    })
  },
)
