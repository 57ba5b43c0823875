import { expect, test } from 'vitest'
import { SETTING_ROWS, type SETTINGS } from '../../../src/server/config/settings.ts'
import { createChangeableSandbox } from '../../../src/server/create-sandbox.ts'
import { declareSettings } from '../../../src/server/settings/declared-settings.ts'
import type { SandboxOptions } from '../../../src/server/settings/sandbox-options.ts'
import { folderWith } from '../../support/folder-with.ts'
import { KEY_FILE } from '../../support/keys.ts'

const ANNA = { name: 'anna', title: 'Anna', purpose: 'For this test.' }

type LiveName = {
  [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name]['takenUp'] extends 'live' ? Name : never
}[keyof typeof SETTINGS]

/** A value for each setting that a running sandbox takes up. */
const OTHERS: Readonly<Required<Pick<SandboxOptions, Exclude<LiveName, 'personas'>>>> = {
  profile: 'agekey',
  clients: [{ clientId: 'shop', clientSecret: 's', redirectUris: ['http://localhost/cb'] }],
  builtinClient: false,
  redirectUris: ['https://shop.example/cb'],
  provenanceAllowlist: ['/own'],
  platforms: ['own'],
  certifications: { '/own': { id_doc_scan: 'effective' } },
  lifetimes: { code: 7 },
  readings: { typ: 'absent' },
  slowReplySeconds: 1,
  persona: 'teen-16',
  outcome: 'access_denied',
}

test.each(Object.entries(OTHERS))(
  'A running sandbox takes up another value of %s',
  async (name, value) => {
    const declared = await declareSettings({})
    const before = declared.settings
    expect(await declared.change({ [name]: value })).toEqual([name])
    expect(declared.settings).not.toEqual({
      ...before,
      formerSecrets: declared.settings.formerSecrets,
    })
  },
)

test('Every setting that is marked as live has a value in this file', () => {
  const live = SETTING_ROWS.flatMap(([name, { takenUp }]) => (takenUp === 'live' ? [name] : []))
  expect(live.sort()).toEqual([...Object.keys(OTHERS), 'personas'].sort())
})

test('Options that say the default change nothing', async () => {
  const declared = await declareSettings({})
  expect(
    await declared.change({ profile: 'spec', builtinClient: true, lifetimes: { code: 600 } }),
  ).toEqual([])
})

test('Settings stay unchanged when an option holds a wrong name', async () => {
  const declared = await declareSettings({ outcome: 'verified' })
  const { settings } = declared
  await expect(declared.change({ outcome: 'access_denied', persona: 'nobody' })).rejects.toThrow(
    'nobody',
  )
  expect(declared.settings).toBe(settings)
})

test('A folder of personas that was never read with a file may not be empty', async () => {
  const declared = await declareSettings({})
  await expect(declared.change({ personas: [folderWith()] })).rejects.toThrow(
    'holds no *.yaml file',
  )
})

test('Warnings are given for what is new', async () => {
  const warnings: string[] = []
  const declared = await declareSettings({
    builtinClient: false,
    onWarning: (message) => void warnings.push(message),
  })
  await declared.change({ builtinClient: false, outcome: 'verified' })
  expect(warnings).toEqual([expect.stringMatching(/^clients: there is none/)])
  const redirectUris = ['http://shop.example/cb']
  await declared.change({ clients: [{ clientId: 'shop', clientSecret: 's', redirectUris }] })
  expect(warnings).toHaveLength(2)
})

test('The seed of a running sandbox stays that of its start', async () => {
  const declared = await declareSettings({ seed: 1 })
  await declared.change({ seed: 2 })
  expect(declared.settings.seed).toBe(1)
})

test('A running sandbox names what a caller has set before other options', async () => {
  const { sandbox, change } = await createChangeableSandbox({ keys: KEY_FILE })
  await using _ = sandbox
  await sandbox.configure({ outcome: 'access_denied' })
  expect(await change({ outcome: 'verified', slowReplySeconds: 1 })).toEqual({
    changed: ['slowReplySeconds', 'outcome'],
    overruled: ['outcome'],
  })
})

test('The pages of a running sandbox show the client that is declared anew', async () => {
  const { sandbox, change } = await createChangeableSandbox({ keys: KEY_FILE })
  await using _ = sandbox
  await change({ builtinClient: false, clients: OTHERS.clients })
  const page = await (await fetch(`${sandbox.url}/_sandbox/console/setup`)).text()
  expect(page).toContain('AGE_CLIENT_ID=shop')
})

test('The sandbox of the library has no member that changes its options', async () => {
  const { sandbox } = await createChangeableSandbox({ keys: KEY_FILE })
  await using _ = sandbox
  expect(sandbox).not.toHaveProperty('change')
})

test('Personas change when a file of theirs does', async () => {
  const folder = folderWith({ 'anna.yaml': ANNA })
  const declared = await declareSettings({ personas: [folder] })
  expect(await declared.change({ personas: [folder] })).toEqual([])
  expect(await declared.change({})).toEqual(['personas'])
})
