import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadSettings } from '../../src/config/load-settings.ts'
import { stateHome } from '../../src/config/state-folder.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agekey-state-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const load = (flags = {}, env = {}) => loadSettings({ flags, env, cwd })

describe('the state folder', () => {
  test.each<[NodeJS.Platform, Record<string, string>, string | undefined]>([
    ['linux', { HOME: '/home/mia' }, '/home/mia/.local/state'],
    ['linux', { HOME: '/home/mia', XDG_STATE_HOME: '/state' }, '/state'],
    ['linux', { HOME: '/home/mia', XDG_STATE_HOME: 'relative' }, '/home/mia/.local/state'],
    ['linux', {}, undefined],
    ['linux', { HOME: '' }, undefined],
    ['darwin', { HOME: '/Users/mia' }, '/Users/mia/Library/Application Support'],
    ['win32', { LOCALAPPDATA: 'C:\\Users\\mia\\AppData\\Local' }, 'C:\\Users\\mia\\AppData\\Local'],
    ['win32', {}, undefined],
  ])('on %s with %j stands in %s', (platform, env, folder) => {
    expect(stateHome(env, platform)).toBe(folder)
  })

  test('is the one of the user when none is named', async () => {
    expect((await load({}, { XDG_STATE_HOME: cwd })).sandbox.stateDir).toBe(join(cwd, 'agekey-sandbox'))
  })

  test('that is named goes before it', async () => {
    expect((await load({ 'state-dir': 'mine' }, { XDG_STATE_HOME: cwd })).sandbox.stateDir).toBe(join(cwd, 'mine'))
  })

  test.each(['flag', 'file'])('is none when a %s says none', async (source) => {
    if (source === 'file') writeFileSync(join(cwd, 'agekey-sandbox.yaml'), 'state_dir: none\n')
    const { sandbox, warnings } = await load(source === 'flag' ? { 'state-dir': 'none' } : {}, { XDG_STATE_HOME: cwd })
    expect(sandbox).not.toHaveProperty('stateDir')
    expect(warnings).toEqual([])
  })

  test('is none, and said so, where the one of the user cannot be made', async () => {
    const file = join(cwd, 'file')
    writeFileSync(file, '')
    const { sandbox, warnings } = await load({}, { XDG_STATE_HOME: file })
    expect(sandbox).not.toHaveProperty('stateDir')
    expect(warnings).toEqual([expect.stringMatching(/file\/agekey-sandbox cannot be written.*--state-dir/)])
  })
})
