import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_CONFIG_FILE } from '../../src/config/config-file.ts'
import { FLAGS } from '../../src/config/text-settings.ts'
import { packageVersion } from '../../src/package-root.ts'
import { CATALOGUE_VERSION, OUTCOMES } from '../../src/sandbox/outcomes/catalogue.ts'
import { describeOutcome } from '../../src/sandbox/outcomes/describe-outcome.ts'
import { buildCli } from './built-cli.ts'

const { run } = await buildCli()

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agekey-cwd-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

describe('help', () => {
  test('--help names every flag and every command, with examples, and exits with 0', async () => {
    const { code, stdout, stderr } = await run(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const { name } of FLAGS) expect(stdout).toContain(`--${name} `)
    for (const command of [
      'start',
      'personas',
      'outcomes',
      'readings',
      'explain',
      'init',
      'run',
      'audit',
      'coverage',
      'wait',
      'tail',
      'doctor',
    ])
      expect(stdout).toContain(`  ${command}`)
    expect(stdout).toContain('Examples:')
  })

  test('help for a command that does not exist ends with the nearest one and exit code 1', async () => {
    const { code, stdout, stderr } = await run(['help', 'strat'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/\nerror: unknown command "strat"\. Did you mean "start"\?\n$/)
  })

  test('start --help shows the flags that apply to it', async () => {
    expect((await run(['start', '--help'])).stdout).toContain('--port <number>')
  })

  test('--version prints the version of the package', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${packageVersion()}\n`, stderr: '' })
  })
})

test.each([
  [['strat'], 'error: unknown command "strat". Did you mean "start"?'],
  [['perosnas', '--json'], 'error: unknown command "perosnas". Did you mean "personas"?'],
  [['personas', 'lst'], 'error: unknown command "lst". Did you mean "list"?'],
  [
    ['xyz'],
    'error: unknown command "xyz". Known are start, personas, outcomes, readings, explain, init, run, audit, coverage, drill, flows, wait, tail, healthcheck, doctor',
  ],
  [['--prot', '1'], "error: unknown option '--prot' (Did you mean --port?)"],
  [['start', '--prot', '1'], "error: unknown option '--prot' (Did you mean --port?)"],
  [['--xyz'], "error: unknown option '--xyz'; agekey-sandbox --help lists them"],
  [
    ['--port'],
    'error: --port: the value is missing; it takes <number>: port to listen on; 0 takes a free one (default: 2435)',
  ],
  [['run', '--xyz', 'a.yaml'], "error: unknown option '--xyz'; agekey-sandbox run --help lists them"],
  [['doctor', '--ca'], 'error: --ca: the value is missing; it takes <file>: a certificate to trust, as PEM'],
  [
    ['--https', 'true'],
    'error: unknown command "true". Known are start, personas, outcomes, readings, explain, init, run, audit, coverage, drill, flows, wait, tail, healthcheck, doctor; a switch like --https takes no value',
  ],
  [['start', 'extra'], 'error: unexpected argument "extra"; usage: agekey-sandbox start [options]'],
  [
    ['run'],
    "error: missing required argument 'file'; usage: agekey-sandbox run [options] <file...> [-- command [args...]]",
  ],
  [
    ['personas', 'show'],
    "error: missing required argument 'name'; usage: agekey-sandbox personas show [options] <name>",
  ],
  [['doctor', '--timeout', '0'], 'error: --timeout: "0" is not a number of seconds above 0, at most 60'],
  [
    ['-p', '0', '--host', '203.0.113.7'],
    'error: host: "203.0.113.7" is no address of this machine; give 127.0.0.1 (only this machine), 0.0.0.0 (all of its addresses) or one of them',
  ],
  [['--port', 'http'], 'error: --port: "http" is not a port (0 to 65535)'],
  [['--config', 'absent.yaml'], 'error: --config: absent.yaml: cannot read this config file (there is no such file)'],
])('%j ends with one line on stderr and exit code 1', async (args, line) => {
  expect(await run(args, { cwd })).toEqual({ code: 1, stdout: '', stderr: `${line}\n` })
})

describe('personas', () => {
  test('lists the built-in ones and those of --personas', async () => {
    writeFileSync(join(cwd, 'mine.yaml'), 'name: my-user\ntitle: My user\npurpose: Mine.\n')
    const { code, stdout } = await run(['personas', '--personas', 'mine.yaml'], { cwd })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ {2}adult-passport {2,}\S/m)
    expect(stdout).toMatch(/^Own\n {2}my-user {2,}Mine\.$/m)
  })

  test.each([[['personas', '--json']], [['personas', 'list', '--json']]])(
    '%j prints JSON with plain dates',
    async (args) => {
      const { stdout } = await run(args)
      const teen = JSON.parse(stdout).personas.find(({ name }: { name: string }) => name === 'teen-16')
      expect(teen.age_key.signals[0].age.date_of_birth).toMatch(/^\d{4}-\d\d-\d\d$/)
    },
  )

  test('show prints one as YAML', async () => {
    const { code, stdout } = await run(['personas', 'show', 'no-age-key'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^name: no-age-key\ntitle: /)
  })

  test('show refuses an unknown name with the nearest one', async () => {
    const { code, stderr } = await run(['personas', 'show', 'adult-pasport'])
    expect(code).toBe(1)
    expect(stderr).toBe('error: there is no persona "adult-pasport". Did you mean "adult-passport"?\n')
  })

  test('check says that files are fine, or what is wrong where', async () => {
    writeFileSync(join(cwd, 'good.yaml'), 'name: good\ntitle: Good\npurpose: Good.\n')
    writeFileSync(join(cwd, 'bad.yaml'), 'name: bad\ntitel: Bad\npurpose: Bad.\n')
    expect(await run(['personas', 'check', 'good.yaml'], { cwd })).toMatchObject({
      code: 0,
      stdout: 'good.yaml: 1 persona is fine: good\n',
    })
    const { code, stderr } = await run(['personas', 'check', '.'], { cwd })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: .*bad\.yaml:2: titel: unknown key\. Did you mean "title"\?$/m)
    const good = await run(['personas', 'check', 'good.yaml', '--json'], { cwd })
    expect({ ...good, stdout: JSON.parse(good.stdout) }).toEqual({
      code: 0,
      stdout: { personas: ['good'], problems: [] },
      stderr: '',
    })
    const bad = await run(['personas', 'check', 'bad.yaml', '--json'], { cwd })
    expect({ code: bad.code, stderr: bad.stderr }).toEqual({ code: 1, stderr: '' })
    expect(JSON.parse(bad.stdout)).toMatchObject({
      personas: [],
      problems: [{ file: expect.stringContaining('bad.yaml'), line: 2, message: expect.stringContaining('titel') }],
    })
  })
})

describe('outcomes', () => {
  test('lists them by flow, with what a correct client does', async () => {
    const { code, stdout } = await run(['outcomes'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^use\n {2}verified {2,}accept {2,}must {2,}\S/m)
    expect(stdout).toMatch(/^ {2}id_token\.expired {2,}refuse {2,}must {2,}\S/m)
    expect(stdout).toMatch(/^create$/m)
  })

  test('--json prints the rows of the catalogue', async () => {
    const { catalogue, outcomes } = JSON.parse((await run(['outcomes', '--json'])).stdout)
    expect(catalogue).toBe(CATALOGUE_VERSION)
    expect(outcomes).toEqual(OUTCOMES.map(describeOutcome))
  })
})

describe('doctor', () => {
  const issuer = 'http://localhost:2435/v1/oidc/use'

  test('looks at the default issuer when none is given, and says so', async () => {
    const { stdout, stderr } = await run(['doctor'])
    expect(stderr).toBe('')
    expect(stdout).toMatch(
      /^No --issuer is given: this looks at the default one, http:\/\/localhost:2435\/v1\/oidc\/use\n./,
    )
    expect(JSON.parse((await run(['doctor', '--json'])).stdout)).toMatchObject({ issuer, default_issuer: true })
  })

  test.each([[[]], [['--json']]])('drives no terminal by what it repeats, with %j', async (options) => {
    const { code, stdout, stderr } = await run(['doctor', '--issuer', 'http://a\u009b2J\u202e\u001b[2J/', ...options])
    expect([code, stderr]).toEqual([1, ''])
    expect(stdout).toContain('issuer_malformed')
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u)
  })

  test('says nothing about a default when an issuer is given', async () => {
    const { code, stdout } = await run(['doctor', '--issuer', 'localhost:2435'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^problem {2}issuer {8}issuer_malformed: "localhost:2435" is no http or https URL\n/)
  })
})

describe('init', () => {
  test('writes a config file that the next start can read', async () => {
    expect(await run(['init'], { cwd })).toMatchObject({ code: 0, stderr: '' })
    expect(await run(['personas', 'show', 'teen-16'], { cwd })).toMatchObject({ code: 0, stderr: '' })
  })

  test('leaves a file that is there as it is', async () => {
    const file = join(cwd, DEFAULT_CONFIG_FILE)
    writeFileSync(file, 'seed: 1\n')
    expect(await run(['init'], { cwd })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: agekey-sandbox.yaml: is there already and stays as it is; move it away first\n',
    })
    expect(readFileSync(file, 'utf8')).toBe('seed: 1\n')
  })
})
