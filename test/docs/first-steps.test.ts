import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { readPage } from './page.ts'

const page = readPage('first-steps.md')

test('the blocks of first-steps.md, run in their order against one sandbox, print what stands below them, also a second time', async () => {
  const sandbox = await startSandbox()
  const blocks = [...page.matchAll(/```sh\n((?:(?!```).)*)```\n(?:\n```text\n(.*?)```)?/gs)]
  expect(blocks.map(([, , shown]) => shown !== undefined)).toEqual([false, true, true, true, true, true])
  const commands = blocks.map(([, text]) => text).join('echo ----\n')
  const script = commands.replaceAll('http://localhost:2435', sandbox.url)
  for (const _time of ['first', 'second']) {
    const { stdout } = await promisify(execFile)('bash', ['-eu', '-c', script])
    const printed = stdout.split('----\n')
    for (const [index, [, , shown = '']] of blocks.entries()) {
      expect(printed[index]).toMatch(new RegExp(`^${shown.split('…').map(literal).join('.+')}$`))
    }
  }
})

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
