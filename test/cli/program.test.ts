import { expect, test } from 'vitest'
import { FLAGS } from '../../src/config/text-settings.ts'
import { packageVersion } from '../../src/package-root.ts'
import { run } from './in-process.ts'

const COMMANDS =
  'start, personas, outcomes, readings, explain, init, run, audit, coverage, flows, wait, tail, healthcheck, doctor'

test('--help names every flag and every command, with examples, and start --help the flags that apply to start', async () => {
  const { code, stdout, stderr } = await run(['--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const { name } of FLAGS) expect(stdout).toContain(`--${name} `)
  for (const command of COMMANDS.split(', ')) expect(stdout).toContain(`  ${command}`)
  expect(stdout).toContain('Examples:')
  expect((await run(['start', '--help'])).stdout).toContain('--port <number>')
  const audit = await run(['audit', '--help'])
  for (const text of ['--accepted <rule>', '--this-app-is-mine', 'Exit codes: 0 ', 'Examples:', '--port <number>'])
    expect(audit.stdout).toContain(text)
})

test('help for a command that does not exist ends with the nearest one and exit code 1', async () => {
  const { code, stdout, stderr } = await run(['help', 'strat'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/\nerror: unknown command "strat"\. Did you mean "start"\?\n$/)
})

test('--version prints the version of the package', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${packageVersion()}\n`, stderr: '' })
})

test.each([
  ['strat', 'unknown command "strat". Did you mean "start"?'],
  ['personas lst', 'unknown command "lst". Did you mean "list"?'],
  ['xyz', `unknown command "xyz". Known are ${COMMANDS}`],
  ['--prot 1', "unknown option '--prot' (Did you mean --port?)"],
  ['start --prot 1', "unknown option '--prot' (Did you mean --port?)"],
  ['--xyz', "unknown option '--xyz'; agekey-sandbox --help lists them"],
  ['--port', '--port: the value is missing; it takes <number>: port to listen on; 0 takes a free one (default: 2435)'],
  ['run --xyz a.yaml', "unknown option '--xyz'; agekey-sandbox run --help lists them"],
  ['doctor --ca', '--ca: the value is missing; it takes <file>: a certificate to trust, as PEM'],
  ['--https true', `unknown command "true". Known are ${COMMANDS}; a switch like --https takes no value`],
  ['start extra', 'unexpected argument "extra"; usage: agekey-sandbox start [options]'],
  ['run', "missing required argument 'file'; usage: agekey-sandbox run [options] <file...> [-- command [args...]]"],
  ['personas show', "missing required argument 'name'; usage: agekey-sandbox personas show [options] <name>"],
])('The command line "%s" ends with one line on stderr and exit code 1', async (args, line) => {
  expect(await run(args.split(' '))).toEqual({ code: 1, stdout: '', stderr: `error: ${line}\n` })
})
