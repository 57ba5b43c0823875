import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSettings } from '../../src/config/load-settings.ts'
import { stateHome } from '../../src/config/state-folder.ts'
import type { Texts } from '../../src/config/text-settings.ts'
import { folderWith } from '../support/folder-with.ts'

test.each<[NodeJS.Platform, Record<string, string>, string | undefined]>([
  ['linux', { HOME: '/home/mia' }, '/home/mia/.local/state'],
  ['linux', { HOME: '/home/mia', XDG_STATE_HOME: '/state' }, '/state'],
  ['linux', { HOME: '/home/mia', XDG_STATE_HOME: 'relative' }, '/home/mia/.local/state'],
  ['linux', {}, undefined],
  ['linux', { HOME: '' }, undefined],
  ['darwin', { HOME: '/Users/mia' }, '/Users/mia/Library/Application Support'],
  ['win32', { LOCALAPPDATA: 'C:\\Users\\mia\\AppData\\Local' }, 'C:\\Users\\mia\\AppData\\Local'],
  ['win32', {}, undefined],
])('State on %s with %j stands in %s', (platform, env, folder) => {
  expect(stateHome(env, platform)).toBe(folder)
})

test('The state folder is the one that is named, none when a flag or the file says none, and else that of the user', async () => {
  const home = folderWith()
  const cwd = folderWith({ 'none.yaml': 'state_dir: none' })
  const stateDirOf = async (flags: Texts) => {
    const { sandbox, warnings } = await loadSettings({ flags, env: { XDG_STATE_HOME: home }, cwd })
    expect(warnings).toEqual([])
    return sandbox.stateDir
  }
  expect(await stateDirOf({})).toBe(join(home, 'agekey-sandbox'))
  expect(await stateDirOf({ 'state-dir': 'mine' })).toBe(join(cwd, 'mine'))
  expect(await stateDirOf({ 'state-dir': 'none' })).toBeUndefined()
  expect(await stateDirOf({ config: 'none.yaml' })).toBeUndefined()
})

test('There is no state folder, with a warning, where that of the user cannot be made', async () => {
  const cwd = folderWith({ file: '' })
  const { sandbox, warnings } = await loadSettings({ env: { XDG_STATE_HOME: join(cwd, 'file') }, cwd })
  expect(sandbox).not.toHaveProperty('stateDir')
  expect(warnings).toEqual([expect.stringMatching(/file\/agekey-sandbox cannot be written.*--state-dir/)])
})
