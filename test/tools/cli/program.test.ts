import { expect, test } from 'vitest'
import { packageVersion } from '../../../src/package-root.ts'
import { FLAGS } from '../../../src/server/config/text-settings.ts'
import { run } from './in-process.ts'

const COMMANDS =
  'start, init, next, clock, reset, run, flows, outcomes, explain, personas, audit, coverage, doctor, wait'

test('--help has the flags of every day on one screen', async () => {
  const { code, stdout, stderr } = await run(['--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.trim().split('\n').length).toBeLessThanOrEqual(45)
  // The flags of the audit are loaded when it is named.
  expect(stdout).toMatch(/^ {2}audit \[options\] \[url\] /m)
  const groups = stdout.split('\n\n').filter((part) => /^(?:Start|Drive|See|Check) it:/.test(part))
  expect(
    groups
      .flatMap((group) => [...group.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name))
      .join(', '),
  ).toBe(COMMANDS)
  const shownIn = (text: string) =>
    FLAGS.filter(({ name }) => text.includes(`--${name} `)).map(({ name }) => name)
  expect(shownIn(stdout)).toEqual(
    FLAGS.filter(({ shown }) => shown === 'daily').map(({ name }) => name),
  )
})

test('--help-all has every flag', async () => {
  const shownIn = (text: string) =>
    FLAGS.filter(({ name }) => text.includes(`--${name} `)).map(({ name }) => name)
  const all = await run(['--help-all'])
  expect(all.code).toBe(0)
  expect(shownIn(all.stdout)).toEqual(
    FLAGS.filter(({ shown }) => shown !== 'none').map(({ name }) => name),
  )
  for (const { key } of FLAGS.filter(({ shown }) => shown === 'none'))
    expect(all.stdout).toContain(key)
})

test.each(COMMANDS.split(', '))(
  '%s --help has an example in at most 40 lines, and breaks no line',
  async (command) => {
    const { stdout } = await run([command, '--help'])
    const lines = stdout.trim().split('\n')
    expect(lines.length).toBeLessThanOrEqual(40)
    const [options = '', example] = stdout.split(/^Examples?:/m)
    expect(example).toContain(`agekey-sandbox ${command === 'start' ? '' : command}`)
    expect(options).not.toMatch(/^ {16,}\S|.{121}/m)
  },
)

test('next --help lists who before how', async () => {
  expect((await run(['next', '--help'])).stdout).toMatch(
    /^ {2}--persona <name> .*\n {2}--outcome <name> /m,
  )
})

test.each(['audit', 'run', 'flows'])(
  '%s --help shows the flags of that command only',
  async (command) => {
    const { stdout } = await run([command, '--help'])
    expect(stdout).toMatch(/ {2}--json/)
    expect(stdout).not.toContain('--port')
  },
)

test.each(['clock', 'audit'])('help %s explains the command', async (name) => {
  expect(await run(['help', name])).toEqual(await run([name, '--help']))
})

test('--version prints the version of the package', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${packageVersion()}\n`, stderr: '' })
})

test.each([
  ['strat', 'unknown command "strat". Did you mean "start"?'],
  ['help strat', 'unknown command "strat". Did you mean "start"?'],
  ['personas lst', 'unknown command "lst". Did you mean "list"?'],
  ['xyz', `unknown command "xyz". Known are ${COMMANDS}`],
  ['tail', 'unknown command "tail". Use: agekey-sandbox flows --follow'],
  ['readings', 'unknown command "readings". Use: agekey-sandbox explain readings'],
  ['--prot 1', "unknown option '--prot' (Did you mean --port?)"],
  ['start --prot 1', "unknown option '--prot' (Did you mean --port?)"],
  ['--xyz', "unknown option '--xyz'; agekey-sandbox --help lists them"],
  [
    '--port',
    '--port: the value is missing; it takes <number>: port to listen on; 0 takes a free one (default: 2435)',
  ],
  ['run --xyz a.yaml', "unknown option '--xyz'; agekey-sandbox run --help lists them"],
  ['doctor --ca', '--ca: the value is missing; it takes <file>: a certificate to trust, as PEM'],
  [
    '--https true',
    `unknown command "true". Known are ${COMMANDS}; a switch like --https takes no value`,
  ],
  ['start extra', 'unexpected argument "extra"; usage: agekey-sandbox start [options]'],
  [
    'run',
    "missing required argument 'file'; usage: agekey-sandbox run [options] <file...> [-- command [args...]]",
  ],
  [
    'personas show',
    "missing required argument 'name'; usage: agekey-sandbox personas show [options] <name>",
  ],
])('The command line "%s" ends with one line on stderr', async (args, line) => {
  expect(await run(args.split(' '))).toEqual({ code: 1, stdout: '', stderr: `error: ${line}\n` })
})
