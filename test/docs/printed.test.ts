import { expect, test } from 'vitest'
import { makeProject } from '../support/project.ts'
import { startSandbox } from '../support/sandbox.ts'
import { readRoot } from './page.ts'

const BASE_URL = 'http://localhost:2435'
const project = await makeProject()

/** The shell blocks of a page, each with what stands below it. */
function blocksOf(path: string) {
  const page = readRoot(path)
  const blocks = [...page.matchAll(/```sh\n((?:(?!```).)*)```\n(?:\n```text\n(.*?)```)?/gs)]
  expect(blocks).toHaveLength(page.match(/^```sh$/gm)?.length ?? 0)
  return blocks.map(([, command = '', shown]) => ({ command, shown }))
}

test.each([
  ['docs/agents.md', 1, 0],
  ['skills/agekey-sandbox/SKILL.md', 1, 0],
  ['docs/command-line.md', 1, 0],
  ['docs/first-steps.md', 2, 1],
])(
  'The shell blocks of %s print what stands below them, in order, %d times over',
  async (path, times, silent) => {
    const sandbox = await startSandbox()
    const blocks = blocksOf(path)
    expect(blocks.filter(({ shown }) => shown === undefined)).toHaveLength(silent)
    const script = blocks
      .map(({ command }) => command)
      .join('echo ----\n')
      .replaceAll(BASE_URL, sandbox.baseUrl)
    for (let time = 0; time < times; time += 1) {
      const { code, stdout, stderr } = await project.run('bash', ['-eu', '-c', script])
      expect(code, stderr).toBe(0)
      const printed = stdout.replaceAll(sandbox.baseUrl, BASE_URL).split('----\n')
      for (const [index, { shown = '' }] of blocks.entries())
        expect(printed[index]?.trimEnd()).toMatch(patternOf(shown.trimEnd()))
    }
  },
  60_000,
)

/** `…` stands for any text of a line, and at the end of a block for any lines. */
function patternOf(shown: string) {
  const escaped = shown.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`^${escaped.replace(/…$/, '[^]+').replaceAll('…', '.+')}$`)
}

test('The commands of SKILL.md that look something up find it', async () => {
  const commands = readRoot('skills/agekey-sandbox/SKILL.md').match(
    /^npx agekey-sandbox (?:outcomes|explain) .+$/gm,
  )
  expect(commands).toHaveLength(2)
  const { stdout } = await project.run('bash', [
    '-eu',
    '-c',
    (commands ?? []).join('; echo ----; '),
  ])
  expect(stdout.split('----\n')).toEqual(Array(2).fill(expect.stringContaining('id_token.nonce')))
})
