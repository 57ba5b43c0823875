import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { stateHome } from '../../src/server/config/load-settings.ts'
import { listenProblem } from '../../src/server/listen.ts'
import { startSandbox } from '../support/sandbox.ts'
import { codeBlocks, codeIn, readPage, tableOf } from './page.ts'

const page = readPage('windows.md')
const [noJson = '', noPort = ''] = codeBlocks(page, 'text').map((text) => text.trim())

/** A text as Windows PowerShell 5.1 gives it to a program. */
const asPowerShellPasses = (text: string) => text.replaceAll(/(?<!\\)"/g, '').replaceAll('\\"', '"')

/** What stands behind a flag of the command of a row, without its quotes of PowerShell. */
function bodyOf(shell: string, flag: string) {
  const [, cell = ''] =
    tableOf(page, 'Shell | Write').find(([name]) => name?.trim() === shell) ?? []
  const [, body = ''] = new RegExp(`${flag} '([^']*)'`).exec(cell) ?? []
  return body
}

/** Queues what a command of the page sends. */
async function queue(body: string) {
  const sandbox = await startSandbox()
  const { body: answer } = await sandbox.request
    .post('/_sandbox/expectations')
    .set('Content-Type', 'application/json')
    .send(body)
  return answer
}

test('windows.md has what the sandbox says of JSON whose quotes PowerShell took out', async () => {
  const { error_description: said } = await queue(
    asPowerShellPasses(bodyOf('PowerShell 7.3 and later', '-d')),
  )
  expect(said).toBe(noJson)
})

test.each([
  ['PowerShell, each version', '-Body', (text: string) => text],
  ['PowerShell 7.3 and later', '-d', (text: string) => text],
  ['PowerShell 5.1 to 7.2', '-d', asPowerShellPasses],
])('The line of windows.md for %s queues a decision', async (shell, flag, pass) => {
  const queued = await queue(pass(bodyOf(shell, flag)))
  expect(queued).toMatchObject({ flow: 'use', persona: 'teen-16' })
})

test('windows.md has what a start says at a reserved port', () => {
  const cause = Object.assign(new Error('listen EACCES'), { code: 'EACCES' })
  const said = listenProblem(cause, { port: 2435, host: '127.0.0.1', freePort: 49_731 })
  expect(noPort).toBe(said.replace('by the option port', 'by --port'))
})

test('windows.md names the folder of the state', () => {
  const folder = stateHome({ LOCALAPPDATA: '%LOCALAPPDATA%' }, 'win32')
  expect(codeIn(page)).toContain(`${folder}\\agekey-sandbox`)
})

test('A path of windows.md in a YAML file is read as it is written, but for the one in double quotes', () => {
  const [, , but = ''] =
    tableOf(page, 'To write').find(([, not]) => not?.includes('C:\\work')) ?? []
  const written = codeIn(but)
  expect(written).toHaveLength(3)
  for (const path of written)
    expect(parse(`path: ${path}`).path.replaceAll('/', '\\')).toBe('C:\\work\\personas')
  expect(() => parse('path: "C:\\work\\personas"')).toThrow('Invalid escape sequence \\w')
})
