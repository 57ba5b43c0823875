import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { wideModeWarnings } from '../../../src/server/settings/settle-keys.ts'
import { folderWith } from '../../support/folder-with.ts'
import { startSandbox } from '../../support/sandbox.ts'

let stateDir: string
beforeEach(() => {
  stateDir = join(folderWith(), 'state')
})

const write = (path: string, mode: number) => {
  writeFileSync(path, '')
  chmodSync(path, mode)
  return path
}

test('A start makes a state folder that causes no warning at the next one', async () => {
  const warnings: string[] = []
  const options = {
    keys: undefined,
    stateDir,
    https: true,
    onWarning: (message: string) => warnings.push(message),
  }
  for (let start = 0; start < 2; start++) await startSandbox(options)
  expect(warnings).toEqual([])
})

test('A start warns of each private file that other users can open', async () => {
  mkdirSync(stateDir)
  chmodSync(stateDir, 0o755)
  const keys = write(join(stateDir, 'signing-keys.json'), 0o644)
  const tlsKey = write(join(stateDir, 'tls-key.pem'), 0o640)
  expect(await wideModeWarnings(keys, stateDir)).toEqual([
    `${stateDir}: it holds private keys, and its mode 755 opens it to other users: run chmod 700 ${stateDir}`,
    `${tlsKey}: it holds private keys, and its mode 640 opens it to other users: run chmod 600 ${tlsKey}`,
    `${keys}: it holds private keys, and its mode 644 opens it to other users: run chmod 600 ${keys}`,
  ])
})

test('A start goes on after the warning of a state folder that other users can open', async () => {
  mkdirSync(stateDir)
  chmodSync(stateDir, 0o777)
  const warnings: string[] = []
  await startSandbox({ keys: undefined, stateDir, onWarning: (message) => warnings.push(message) })
  expect(warnings).toEqual([
    expect.stringMatching(/state: it holds private keys, and its mode 777.*chmod 700/),
  ])
})
