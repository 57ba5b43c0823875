import { expect, test } from 'vitest'
import { connectSandbox } from '../../../src/client/connect-sandbox.ts'
import { loadSettings } from '../../../src/config/load-settings.ts'
import { createSandbox } from '../../../src/server/create-sandbox.ts'
import { folderWith } from '../../support/folder-with.ts'

const TOKENS = ['', ' ', '   ', ' token', 'token ', 'to\nken', 'schlüssel', 'to\u0000ken']

test.each(TOKENS)('The control token %j is refused as flag, variable, setting of a file and option', async (token) => {
  const cwd = folderWith({ 'own.yaml': `control_token: ${JSON.stringify(token)}` })
  const load = (flags = {}, env = {}) => loadSettings({ flags, env, cwd })
  const problem = 'expected one or more printable ASCII characters, the first and the last of them no blank'
  await expect(load({ 'control-token': token })).rejects.toThrow(`--control-token: ${problem}`)
  const inEnvironment = load({}, { AGEKEY_SANDBOX_CONTROL_TOKEN: token })
  // An empty variable counts as unset.
  if (token === '') expect((await inEnvironment).sandbox.controlToken).toBeUndefined()
  else await expect(inEnvironment).rejects.toThrow(`AGEKEY_SANDBOX_CONTROL_TOKEN: ${problem}`)
  await expect(load({ config: 'own.yaml' })).rejects.toThrow(`own.yaml:1: control_token: ${problem}`)
  await expect(createSandbox({ controlToken: token })).rejects.toThrow(`createSandbox: controlToken: ${problem}`)
  const connect = () => connectSandbox('http://localhost:1', { controlToken: token })
  expect(connect).toThrow(`connectSandbox: controlToken: ${problem}`)
})
