import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBrowserClient } from '../../support/browser-client.ts'
import { hostileYaml, yamlNoise } from '../../support/hostile-yaml.ts'
import { textOf } from '../../support/markup.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()

/** Bytes of YAML that one request may send. */
const MAX_YAML = 16 * 1024
/**
 * To read what the service must refuse takes from seconds to hours; a busy machine takes a tenth of
 * this for what it reads.
 */
const MAX_CPU_MS = 1_500

const put = (path: string, type: string, text: string | Uint8Array<ArrayBuffer>) =>
  fetch(`${sandbox.url}/_sandbox/${path}`, {
    method: path === 'scenarios' ? 'POST' : 'PUT',
    headers: { 'Content-Type': type },
    body: text,
  })

const FORCE = '/_sandbox/console/force'
const paste = (yaml: string) =>
  createBrowserClient(sandbox.url).submit(FORCE, { arm: 'true', yaml })

const WAYS: readonly (readonly [
  way: string,
  send: (text: string) => Promise<{ readonly status: number }>,
])[] = [
  ['PUT personas', (text) => put('personas', 'application/yaml', text)],
  ['PUT personas/NAME', (text) => put('personas/p', 'text/yaml', text)],
  ['POST scenarios', (text) => put('scenarios', 'application/x-yaml', text)],
  ['the form of the console', paste],
]

/** Status codes of what is read, and of what is refused. */
const ANSWERED = [200, 201, 303, 400, 413]

/** Sends a text, and checks that it is answered within bounds by a process that still serves. */
async function survives(send: () => Promise<{ readonly status: number }>): Promise<number> {
  const before = process.cpuUsage()
  const { status } = await send()
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(MAX_CPU_MS)
  const health = await fetch(`${sandbox.url}/_sandbox/health`)
  expect(health.status).toBe(200)
  return status
}

test.each(WAYS)(
  'Hostile YAML of 801 bytes neither ends nor holds the process: %s',
  { timeout: 60_000 },
  async (_, send) => {
    for (const [name, text] of hostileYaml(801)) {
      expect(ANSWERED, name).toContain(await survives(() => send(text)))
    }
  },
)

// Each text by one of the ways: all of them by all ways would take minutes.
test.each(WAYS.map(([way, send], index) => [way, send, index] as const))(
  'Hostile YAML of 16 KiB neither ends nor holds the process: %s',
  { timeout: 60_000 },
  async (_, send, index) => {
    const texts = hostileYaml(MAX_YAML).filter((_text, at) => at % WAYS.length === index)
    for (const [name, text] of texts)
      expect(ANSWERED, name).toContain(await survives(() => send(text)))
  },
)

test.each([
  ['[', 1_000, ']', 1_000],
  ['? ', 400, 'x', 1],
  ['[', 12_000, '', 0],
])(
  '%j, %i times, is refused by PUT personas/NAME each time it is sent',
  async (open, count, close, closings) => {
    const text = open.repeat(count) + close.repeat(closings)
    const message = expect.stringContaining(
      'level 65 of lists and mappings begins here, and 64 are read at most',
    )
    for (let time = 0; time < 2; time++) {
      const answer = await put('personas/p', 'application/yaml', text)
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({
        error: 'invalid_request',
        error_description: message,
      })
    }
  },
)

test('Random YAML neither ends nor holds the process', { timeout: 120_000 }, async () => {
  const way = fc.constantFrom(...WAYS.map(([, send]) => send))
  const property = fc.asyncProperty(way, yamlNoise(300), async (send, text) => {
    expect(ANSWERED).toContain(await survives(() => send(text)))
  })
  await fc.assert(property, { numRuns: 200 })
})

const PERSONA = 'name: p\ntitle: T\npurpose: P\n'
const padded = (bytes: number) => `${PERSONA}#${'x'.repeat(bytes - PERSONA.length - 1)}`

test('A YAML body of 16 KiB is read', async () => {
  expect((await put('personas', 'application/yaml', padded(MAX_YAML))).status).toBe(200)
})

const TOO_LONG =
  'the YAML has 16385 bytes, and 16384 are read at most: send it in parts, or as JSON, which may have 65536'

test('A longer YAML body is refused with the limit', async () => {
  const answer = await put('personas', 'application/yaml', padded(MAX_YAML + 1))
  expect(answer.status).toBe(413)
  expect(await answer.json()).toMatchObject({
    error: 'invalid_request',
    error_description: TOO_LONG,
  })
})

test('Longer YAML in the form of the console is refused in the same words', async () => {
  const { status, text } = await paste(padded(MAX_YAML + 1))
  expect(status).toBe(413)
  expect(textOf(text)).toContain(TOO_LONG)
})

test('The size of YAML is counted in bytes', async () => {
  const yaml = `${PERSONA}# ${'ü'.repeat(MAX_YAML / 2)}`
  expect((await put('personas', 'application/yaml', yaml)).status).toBe(413)
})

test('JSON may be longer than YAML', async () => {
  const purpose = ' '.repeat(60_000)
  const answer = await put(
    'personas',
    'application/json',
    `${purpose}{"name": "p", "title": "T", "purpose": "P"}`,
  )
  expect(answer.status).toBe(200)
})

test('JSON of 30,000 levels is refused by the depth of JSON', async () => {
  const answer = await put('personas', 'application/json', '['.repeat(30_000) + ']'.repeat(30_000))
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('it is nested deeper than 64 levels')
})

const LATIN1 = new Uint8Array(
  Buffer.from('{\n"name": "p", "title": "M\xFCller", "purpose": "P"}', 'latin1'),
)
const UTF16 = new Uint8Array(
  Buffer.from('\uFEFF{"name": "p", "title": "T", "purpose": "P"}', 'utf16le'),
)

test.each([
  [
    'application/json',
    LATIN1,
    /^body:2: the byte 0xFC \(ü in Latin-1\) is not UTF-8; save it as UTF-8/,
  ],
  [
    'application/yaml',
    LATIN1,
    /^body:2: the byte 0xFC \(ü in Latin-1\) is not UTF-8; save it as UTF-8/,
  ],
  ['application/json', UTF16, /^body: is UTF-16 \(PowerShell's > writes that\); save it as UTF-8/],
  ['application/yaml', UTF16, /^body: is UTF-16 \(PowerShell's > writes that\); save it as UTF-8/],
])(
  'A body of %s that is no UTF-8 is refused before a damaged title is kept',
  async (type, bytes, message) => {
    const answer = await put('personas', type, bytes)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error_description: expect.stringMatching(message) })
    const kept = (await sandbox.personas.list()).map(({ name }) => name)
    expect(kept).not.toContain('p')
  },
)
