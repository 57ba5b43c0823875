import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  type ConnectedSandbox,
  connectSandbox,
} from '../../../../src/server/client/connect-sandbox.ts'
import type { Settings } from '../../../../src/server/config/load-settings.ts'
import { readWatchedSettings } from '../../../../src/tools/cli/start/watch-settings.ts'
import { folderWith } from '../../../support/folder-with.ts'
import { sendUse } from '../../../support/requests.ts'
import { buildCli, jsonLines, WITH_KEYS } from '../built-cli.ts'

const cli = await buildCli()

const CONFIG = 'agekey-sandbox.yaml'

const persona = (name: string, title = `I am ${name}`) =>
  `name: ${name}\ntitle: ${title}\npurpose: For this test.\n`

const client = (name: string, more = '') =>
  `{ client_id: shop, client_secret: s-e-c-r-e-t, name: ${name}, redirect_uris: [http://localhost/cb]${more} }`

/** A change is taken up within half a second; the machine of a test may be busy. */
const soon = (expectation: () => unknown) =>
  vi.waitFor(expectation, { timeout: 15_000, interval: 50 })

/** Starts a sandbox in a folder with these files. */
async function startIn(files: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const cwd = folderWith(files)
  const { output, printed } = await cli.start(['--port', '0', '--log', 'json', ...args], {
    cwd,
    env: WITH_KEYS,
  })
  const { url } = JSON.parse(output.split('\n')[0] ?? '')
  const messages = (text: string, event: string) =>
    text.trim() === ''
      ? []
      : jsonLines(text).flatMap((line) =>
          line['event'] === event ? [String(line['message'])] : [],
        )
  return {
    url: String(url),
    api: connectSandbox(String(url)),
    cwd,
    path: (name: string) => join(cwd, name),
    /** Replaces a file in one step, as editors do. */
    save(name: string, text: string) {
      writeFileSync(join(cwd, 'draft'), text)
      renameSync(join(cwd, 'draft'), join(cwd, name))
    },
    warnings: () => messages(printed.stderr, 'warning'),
    notes: () => messages(printed.stdout, 'note'),
  }
}

type Started = Awaited<ReturnType<typeof startIn>>

/**
 * Saves a persona and waits until it is taken up: what was saved before it is taken up or refused
 * by then.
 */
async function untilLaterSave({ api, save }: Pick<Started, 'api' | 'save'>, folder = 'personas') {
  save(`${folder}/later.yaml`, persona('later'))
  await soon(async () => expect(await namesOf(api)).toContain('later'))
}

const namesOf = async (api: ConnectedSandbox) => (await api.personas.list()).map(({ name }) => name)

const titleOf = async ({ personas }: ConnectedSandbox, name: string) =>
  (await personas.get(name)).title

const pageTitle = async (url: string) => {
  const page = await sendUse(url, { client_id: 'shop', redirect_uri: 'http://localhost/cb' })
  return /<title>([^<]*)/.exec(await page.text())?.[1]
}

const tenantOf = async (url: string) => (await fetch(`${url}/_sandbox/tenants/default`)).json()

test('A saved config file changes clients, lifetimes, defaults and readings of a running sandbox', async () => {
  const { save, url, notes, warnings } = await startIn({
    [CONFIG]: `clients: [${client('Old shop')}]\n`,
  })
  expect(await pageTitle(url)).toContain('Old shop')
  save(
    CONFIG,
    `clients: [${client('New shop')}]
lifetimes: { code: 7 }
readings: { typ: absent }
slow_reply_seconds: 3
outcome: access_denied
persona: teen-16
`,
  )
  await soon(() => expect(notes()).toHaveLength(1))
  expect(notes()).toEqual([
    `took up clients, lifetimes, readings, slow_reply_seconds, persona, outcome of ${CONFIG}`,
  ])
  expect(await tenantOf(url)).toMatchObject({
    clients: [{ name: 'New shop' }],
    lifetimes: { code: 7 },
    readings: { typ: 'absent' },
    slow_reply_seconds: 3,
    outcome: 'access_denied',
    persona: 'teen-16',
  })
  expect(warnings()).toEqual([])
})

test('A setting that is deleted from the config file has its default again', async () => {
  const { save, url, notes } = await startIn({
    [CONFIG]: 'outcome: access_denied\nlifetimes: { code: 7 }\n',
  })
  save(CONFIG, 'profile: spec\n')
  await soon(() => expect(notes()).toEqual([`took up lifetimes, outcome of ${CONFIG}`]))
  expect(await tenantOf(url)).toMatchObject({ lifetimes: { code: 600 } })
  expect(await tenantOf(url)).not.toHaveProperty('outcome')
})

test('builtin_client: false removes the built-in client of a running sandbox', async () => {
  const { save, url, warnings } = await startIn({ [CONFIG]: 'profile: spec\n' })
  save(CONFIG, `builtin_client: false\nclients: [${client('Shop')}]\n`)
  await soon(async () => expect(await (await sendUse(url)).text()).toContain('ak_test_sandbox'))
  expect(await pageTitle(url)).toContain('Shop')
  expect(warnings()).toEqual([])
})

test('A config file that comes after the start is read', async () => {
  const { save, url } = await startIn({})
  save(CONFIG, `clients: [${client('Late shop')}]\n`)
  await soon(async () => expect(await pageTitle(url)).toContain('Late shop'))
})

test('A saved config file names in one warning all that needs a restart', async () => {
  const { save, warnings } = await startIn({ [CONFIG]: 'persona: teen-16\n' })
  save(
    CONFIG,
    'persona: teen-16\nbase_path: /age\nhttps: false\nstore: redis://localhost:1\ncontrol_token: not-a-real-token\n',
  )
  await soon(() => expect(warnings()).toHaveLength(1))
  expect(warnings()).toEqual([`${CONFIG}: restart to take up base_path, store, control_token`])
})

test('A saved persona file does not name again what needs a restart', async () => {
  const started = await startIn({
    [CONFIG]: 'personas: ./personas\n',
    'personas/a.yaml': persona('a'),
  })
  started.save(CONFIG, 'personas: ./personas\nseed: 2\n')
  await soon(() => expect(started.warnings()).toHaveLength(1))
  await untilLaterSave(started)
  expect(started.warnings()).toEqual([`${CONFIG}: restart to take up seed`])
})

test('A setting that needs a restart causes no warning once it has its former value again', async () => {
  const { save, warnings, notes } = await startIn({ [CONFIG]: 'seed: 1\n' })
  save(CONFIG, 'seed: 2\n')
  await soon(() => expect(warnings()).toHaveLength(1))
  save(CONFIG, 'seed: 1\npersona: teen-16\n')
  await soon(() => expect(notes()).toHaveLength(1))
  expect(warnings()).toEqual([`${CONFIG}: restart to take up seed`])
})

test('A saved setting that a flag overrules changes nothing, without a warning', async () => {
  const { save, url, notes, warnings } = await startIn({ [CONFIG]: 'persona: teen-16\n' }, [
    '--persona',
    'child-12',
  ])
  save(CONFIG, 'persona: teen-16\nport: 2\nlog: pretty\noutcome: verified\n')
  await soon(() => expect(notes()).toEqual([`took up outcome of ${CONFIG}`]))
  expect(await tenantOf(url)).toMatchObject({ persona: 'child-12' })
  expect(warnings()).toEqual([])
})

const GONE: readonly (readonly [how: string, state: string, lose: (path: string) => void])[] = [
  ['is emptied', 'is empty', (path) => writeFileSync(path, '')],
  ['is deleted', 'is not there', (path) => rmSync(path)],
  ['holds only comments', 'is empty', (path) => writeFileSync(path, '# clients:\n\n#  - shop\n')],
  [
    'holds only the marks of a document',
    'is empty',
    (path) => writeFileSync(path, '---\n# nothing\n...\n'),
  ],
  ['holds only blanks', 'is empty', (path) => writeFileSync(path, ' \n\n')],
]

test.each(GONE)(
  'A config file that %s keeps what it said, with one warning',
  async (_how, state, lose) => {
    const started = await startIn({
      [CONFIG]: `personas: ./personas\nclients: [${client('Shop')}]\n`,
      'personas/a.yaml': persona('a'),
    })
    const { path, url, warnings } = started
    lose(path(CONFIG))
    await soon(() => expect(warnings()).toHaveLength(1))
    await untilLaterSave(started)
    expect(await pageTitle(url)).toContain('Shop')
    expect(warnings()).toEqual([
      `${CONFIG} ${state}; what it said before stays in force until it is a file again; restart to run without it`,
    ])
  },
)

test('A config file that is emptied before it is deleted causes one warning', async () => {
  const started = await startIn({
    [CONFIG]: 'personas: ./personas\n',
    'personas/a.yaml': persona('a'),
  })
  const { path, warnings } = started
  writeFileSync(path(CONFIG), '')
  await soon(() => expect(warnings()).toHaveLength(1))
  rmSync(path(CONFIG))
  await untilLaterSave(started)
  expect(warnings()).toHaveLength(1)
})

test('A config file that is named by a flag and deleted keeps what it said', async () => {
  const { path, url, warnings } = await startIn({ 'own.yaml': `clients: [${client('Shop')}]\n` }, [
    '-c',
    'own.yaml',
  ])
  rmSync(path('own.yaml'))
  await soon(() => expect(warnings()).toHaveLength(1))
  expect(warnings()[0]).toMatch(/^own\.yaml is not there; what it said before stays in force/)
  expect(await pageTitle(url)).toContain('Shop')
})

test('A config file that comes back as it was is said to be read again', async () => {
  const { path, save, notes, warnings } = await startIn({ [CONFIG]: 'persona: teen-16\n' })
  rmSync(path(CONFIG))
  await soon(() => expect(warnings()).toHaveLength(1))
  save(CONFIG, 'persona: teen-16\n')
  await soon(() => expect(notes()).toEqual([`read ${CONFIG} again: nothing changed`]))
})

test('A config file that comes back changed is taken up', async () => {
  const { path, save, url, warnings } = await startIn({ [CONFIG]: 'persona: teen-16\n' })
  rmSync(path(CONFIG))
  await soon(() => expect(warnings()).toHaveLength(1))
  save(CONFIG, 'persona: child-12\n')
  await soon(async () => expect(await tenantOf(url)).toMatchObject({ persona: 'child-12' }))
})

test('A config file that said nothing at the start may be deleted without a warning', async () => {
  const started = await startIn(
    { [CONFIG]: '# persona: teen-16\n', 'personas/a.yaml': persona('a') },
    ['--personas', 'personas'],
  )
  rmSync(started.path(CONFIG))
  await untilLaterSave(started)
  expect(started.warnings()).toEqual([])
})

test.each([
  [
    'broken YAML',
    'clients: [\n',
    /^agekey-sandbox\.yaml:\d+: .* \(what the file said before stays in force\)$/,
  ],
  [
    'an unknown setting',
    '\nclientz: []\n',
    /^agekey-sandbox\.yaml:2: .*clientz.* \(what the file said before stays in force\)$/,
  ],
  [
    'an unknown persona',
    '\n\npersona: nobody\n',
    /^agekey-sandbox\.yaml:3: persona: there is no persona "nobody".* \(nothing of this save is taken up\)$/,
  ],
  [
    'a folder that does not exist',
    'outcome: verified\npersonas: ./gone\n',
    /^agekey-sandbox\.yaml:2: personas\[0\]: \S*gone: no such file or folder \(nothing of this save is taken up\)$/,
  ],
])(
  'A config file with %s changes nothing, and the warning names its line',
  async (_what, text, message) => {
    const { save, url, warnings, notes } = await startIn({
      [CONFIG]: `clients: [${client('Shop')}]\n`,
    })
    save(CONFIG, text)
    await soon(() => expect(warnings()).toHaveLength(1))
    expect(warnings()[0]).toMatch(message)
    expect(await pageTitle(url)).toContain('Shop')
    save(CONFIG, `clients: [${client('New shop')}]\n`)
    await soon(() => expect(notes()).toEqual([`took up clients of ${CONFIG}`]))
    expect(warnings()).toHaveLength(1)
  },
)

test('An edit with one wrong value is not taken up in part', async () => {
  const { save, url, warnings } = await startIn({ [CONFIG]: `clients: [${client('Shop')}]\n` })
  save(CONFIG, `clients: [${client('New shop', ', persona: nobody')}]\noutcome: access_denied\n`)
  await soon(() => expect(warnings()).toHaveLength(1))
  expect(warnings()[0]).toMatch(
    /^agekey-sandbox\.yaml:1: clients\[0\]\.persona: there is no persona "nobody"/,
  )
  expect(await tenantOf(url)).toMatchObject({ clients: [{ name: 'Shop' }] })
  expect(await tenantOf(url)).not.toHaveProperty('outcome')
})

test('A redirect URI in the clear is warned of when it is new, and not again at the next save', async () => {
  const clear = (name: string, more: string) =>
    `clients: [{ client_id: shop, client_secret: s, name: ${name}, redirect_uris: [http://a.example/${more}] }]\n`
  const { save, notes, warnings } = await startIn({ [CONFIG]: clear('One', '') })
  await soon(() => expect(warnings()).toHaveLength(1))
  save(CONFIG, clear('Two', ''))
  await soon(() => expect(notes()).toHaveLength(1))
  expect(warnings()).toHaveLength(1)
  save(CONFIG, clear('Two', ', http://b.example/'))
  await soon(() => expect(notes()).toHaveLength(2))
  expect(warnings()[1]).toContain('http://b.example/')
  expect(warnings()).toHaveLength(2)
})

test('A client that is gone from the file is masked in what was recorded of it', async () => {
  const { save, url, notes } = await startIn({ [CONFIG]: `clients: [${client('Shop')}]\n` })
  await sendUse(url, {
    client_id: 'shop',
    redirect_uri: 'http://localhost/cb',
    state: 's-e-c-r-e-t',
    nonce: 'n',
  })
  save(CONFIG, 'clients: []\n')
  await soon(() => expect(notes()).toHaveLength(1))
  const flows = await (await fetch(`${url}/_sandbox/flows`)).text()
  expect(flows).toContain('"client_id":"shop"')
  expect(flows).not.toContain('s-e-c-r-e-t')
})

const PERSONAS = {
  [CONFIG]: 'personas: [./personas, ./one.yaml]\n',
  'personas/a.yaml': persona('a'),
  'one.yaml': persona('one'),
}

test('A persona file that is added to a folder adds its persona', async () => {
  const { api, save, notes } = await startIn(PERSONAS)
  save('personas/b.yaml', persona('b'))
  await soon(async () => expect(await namesOf(api)).toContain('b'))
  await soon(() => expect(notes()).toEqual([`took up personas of ${join('personas', 'b.yaml')}`]))
})

test('A persona file that is deleted takes its persona away', async () => {
  const { api, path } = await startIn({ ...PERSONAS, 'personas/b.yaml': persona('b') })
  rmSync(path('personas/b.yaml'))
  await soon(async () => expect(await namesOf(api)).not.toContain('b'))
  expect(await namesOf(api)).toContain('a')
})

test('The last persona file that is deleted from a folder takes its persona away', async () => {
  const { api, path, warnings } = await startIn(PERSONAS)
  rmSync(path('personas/a.yaml'))
  await soon(async () => expect(await namesOf(api)).not.toContain('a'))
  expect(warnings()).toEqual([])
})

test('A built-in persona returns when the file that replaced it is deleted', async () => {
  const { api, path } = await startIn({
    ...PERSONAS,
    'personas/b.yaml': persona('teen-16', 'Mine'),
  })
  expect(await titleOf(api, 'teen-16')).toBe('Mine')
  rmSync(path('personas/b.yaml'))
  await soon(async () => expect(await titleOf(api, 'teen-16')).not.toBe('Mine'))
})

test('A persona file that is written in place is taken up', async () => {
  const { api, path } = await startIn(PERSONAS)
  writeFileSync(path('one.yaml'), persona('one', 'New'))
  await soon(async () => expect(await titleOf(api, 'one')).toBe('New'))
})

test('A file is taken up although its time stays the same', async () => {
  const { api, path } = await startIn(PERSONAS)
  const time = new Date('2026-01-01')
  utimesSync(path('one.yaml'), time, time)
  writeFileSync(path('one.yaml'), persona('one', 'New'))
  utimesSync(path('one.yaml'), time, time)
  await soon(async () => expect(await titleOf(api, 'one')).toBe('New'))
})

test('A broken persona file keeps all personas, and the warning names its line', async () => {
  const started = await startIn(PERSONAS)
  const { api, save, notes, warnings } = started
  save('personas/a.yaml', 'name: a\ntitle: New\npurpose: [\n')
  await soon(() => expect(warnings()).toHaveLength(1))
  expect(warnings()[0]).toMatch(/personas\/a\.yaml:\d+: .* \(nothing of this save is taken up\)$/)
  expect(await titleOf(api, 'a')).toBe('I am a')
  save('personas/a.yaml', persona('a', 'Mended'))
  await soon(async () => expect(await titleOf(api, 'a')).toBe('Mended'))
  expect(notes()).toHaveLength(1)
})

test('A folder of personas that is moved away keeps its personas until it is back', async () => {
  const { api, cwd, path, warnings } = await startIn(PERSONAS)
  renameSync(path('personas'), path('away'))
  await soon(() => expect(warnings()).toHaveLength(1))
  expect(warnings()[0]).toMatch(
    /personas: no such file or folder \(nothing of this save is taken up\)$/,
  )
  expect(await namesOf(api)).toContain('a')
  writeFileSync(join(cwd, 'away/b.yaml'), persona('b'))
  renameSync(path('away'), path('personas'))
  await soon(async () => expect(await namesOf(api)).toContain('b'))
})

test('A persona that a client has is not taken away', async () => {
  const { api, path, warnings } = await startIn({
    ...PERSONAS,
    [CONFIG]: `personas: ./personas\nclients: [${client('Shop', ', persona: b')}]\n`,
    'personas/b.yaml': persona('b'),
  })
  rmSync(path('personas/b.yaml'))
  await soon(() => expect(warnings()).toHaveLength(1))
  expect(warnings()[0]).toMatch(
    /^agekey-sandbox\.yaml:2: clients\[0\]\.persona: there is no persona "b"/,
  )
  expect(await namesOf(api)).toContain('b')
})

test('A folder that the config file names anew is read', async () => {
  const { api, save } = await startIn({
    [CONFIG]: 'persona: teen-16\n',
    'more/x.yaml': persona('x'),
  })
  save(CONFIG, 'personas: ./more\n')
  await soon(async () => expect(await namesOf(api)).toContain('x'))
})

test('A folder that the config file names anew is watched', async () => {
  const { api, save } = await startIn({
    [CONFIG]: 'persona: teen-16\n',
    'more/x.yaml': persona('x'),
  })
  save(CONFIG, 'personas: ./more\n')
  await soon(async () => expect(await namesOf(api)).toContain('x'))
  save('more/y.yaml', persona('y'))
  await soon(async () => expect(await namesOf(api)).toContain('y'))
})

test('A folder that a flag names is watched without a config file', async () => {
  const started = await startIn({ 'personas/a.yaml': persona('a') }, ['--personas', './personas'])
  await untilLaterSave(started)
  expect(started.warnings()).toEqual([])
})

test('Files that Kubernetes swaps by a symbolic link are taken up', async () => {
  const folder = folderWith({
    'v1/config.yaml': `clients: [${client('Old shop')}]\npersonas: .\n`,
    'v1/a.yaml': persona('a', 'Old'),
    'v2/config.yaml': `clients: [${client('New shop')}]\npersonas: .\n`,
    'v2/a.yaml': persona('a', 'New'),
  })
  const mount = join(folder, 'mount')
  mkdirSync(join(mount, 'personas'), { recursive: true })
  symlinkSync('../v1', join(mount, '..data'))
  symlinkSync('..data/config.yaml', join(mount, 'config.yaml'))
  symlinkSync('../..data/a.yaml', join(mount, 'personas/a.yaml'))
  const args = ['-c', join(mount, 'config.yaml'), '--personas', join(mount, 'personas')]
  const { api, url } = await startIn({}, args)
  symlinkSync('../v2', join(mount, '..new'))
  renameSync(join(mount, '..new'), join(mount, '..data'))
  await soon(async () => expect(await titleOf(api, 'a')).toBe('New'))
  expect(await pageTitle(url)).toContain('New shop')
})

test('A reset goes back to the personas of the files as they are by then', async () => {
  const { api, save } = await startIn(PERSONAS)
  await api.personas.put({ name: 'a', title: 'Put', purpose: 'Put by a test.' })
  save('personas/a.yaml', persona('a', 'Saved'))
  save('personas/b.yaml', persona('b'))
  await soon(async () => expect(await namesOf(api)).toContain('b'))
  expect(await titleOf(api, 'a')).toBe('Put')
  await api.reset()
  expect(await titleOf(api, 'a')).toBe('Saved')
})

test('A setting that a call has set stays, and a warning says that the file has no effect', async () => {
  const { api, save, url, warnings } = await startIn({ [CONFIG]: 'outcome: verified\n' })
  await api.configure({ outcome: 'access_denied' })
  save(CONFIG, 'outcome: server_error\nlifetimes: { code: 7 }\n')
  await soon(() => expect(warnings()).toHaveLength(1))
  expect(warnings()[0]).toMatch(/^outcome: a call has set this for tenant default/)
  expect(await tenantOf(url)).toMatchObject({ outcome: 'access_denied', lifetimes: { code: 7 } })
})

test('A tenant follows a saved file', async () => {
  const { api, save } = await startIn(PERSONAS)
  const tenant = api.tenant('other')
  expect((await tenant.personas.list()).map(({ name }) => name)).not.toContain('b')
  save('personas/b.yaml', persona('b'))
  await soon(async () =>
    expect((await tenant.personas.list()).map(({ name }) => name)).toContain('b'),
  )
})

test('A flow that waits on its page ends after a save', async () => {
  const { save, url, notes } = await startIn({ [CONFIG]: `clients: [${client('Old shop')}]\n` })
  const page = await (
    await sendUse(url, { client_id: 'shop', redirect_uri: 'http://localhost/cb' })
  ).text()
  save(
    CONFIG,
    `clients: [${client('New shop')}]\nreadings: { typ: absent }\nlifetimes: { code: 7 }\n`,
  )
  await soon(() => expect(notes()).toHaveLength(1))
  const [, action = ''] = /<form[^>]* action="([^"]*\/choice)"/.exec(page) ?? []
  const [, transaction = ''] = /name="transaction" value="([^"]+)"/.exec(page) ?? []
  const answer = await fetch(new URL(action, url), {
    method: 'POST',
    body: new URLSearchParams({ transaction, persona: 'adult-passport' }),
    redirect: 'manual',
  })
  expect(answer.headers.get('location')).toContain('http://localhost/cb#')
  expect(answer.headers.get('location')).toContain('id_token=')
})

test('A file that is written in parts is read once it is at rest', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const cwd = folderWith({ [CONFIG]: 'persona: teen-16\n' })
  const { watch } = await readWatchedSettings({}, cwd)
  const change = vi.fn(async (_settings: Settings) => ({ changed: [], overruled: [] }))
  const report = { warning: vi.fn(), note: vi.fn(), defect: vi.fn() }
  onTestFinished(watch({ change, report }))
  const look = async () => {
    vi.advanceTimersToNextTimer()
    // A look that has ended sets the timer of the next one.
    while (vi.getTimerCount() === 0) await new Promise(setImmediate)
  }
  writeFileSync(join(cwd, CONFIG), 'clients: [{ client_id: shop,')
  await look()
  writeFileSync(join(cwd, CONFIG), `clients: [${client('Shop')}]\n`)
  await look()
  expect(change).not.toHaveBeenCalled()
  await look()
  await look()
  expect(change).toHaveBeenCalledOnce()
  expect(change.mock.calls[0]?.[0].sandbox.clients).toMatchObject([{ name: 'Shop' }])
  expect(report.warning).not.toHaveBeenCalled()
})
