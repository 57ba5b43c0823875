import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { COVERAGE_FORMAT } from '../../../src/sandbox/coverage/counters.ts'
import { coverageSchema } from '../../../src/sandbox/coverage/coverage.ts'
import { findFreePort } from '../../support/free-port.ts'
import { claims, useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { buildCli } from '../built-cli.ts'
import { adultCounters, minorCounters } from './sample-coverage.ts'

const { run } = await buildCli()

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agekey-coverage-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const write = (name: string, value: unknown) =>
  writeFileSync(join(cwd, name), typeof value === 'string' ? value : JSON.stringify(value))
const read = (name: string) => readFileSync(join(cwd, name), 'utf8')
const coverage = (...args: string[]) => run(['coverage', ...args], { cwd })

describe('agekey-sandbox coverage', () => {
  test('says what was read, each dimension, and what closes each gap', async () => {
    write('adult.json', adultCounters())
    const { code, stdout, stderr } = await coverage('adult.json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Coverage of adult\.json\n\nanswers +50 % +\[#{10}\.{10}\] +2 of 4\n/)
    expect(stdout).toMatch(/^filters +100 % .* nothing to see for this app$/m)
    expect(stdout).toMatch(
      /^answers: 2 gaps\n {2}age_thresholds 18: false +run a Use flow as \S+: it answers 18: false/m,
    )
    expect(stdout).toMatch(/^must: \d+ gaps\n( {2}use\/.+ force the outcome .+\n){5} {2}and \d+ more/m)
    expect(stdout).toMatch(
      /^Not used by the app, and no gap: create \(no Create request was pushed \(E2\)\); upgrade /m,
    )
  })

  test('adds files and folders up, and reads a file once that is named twice', async () => {
    mkdirSync(join(cwd, 'runs/vitest'), { recursive: true })
    write('runs/vitest/a.json', adultCounters('in the folder'))
    write('runs/notes.txt', 'no coverage')
    write('minor.json', minorCounters())
    const { stdout } = await coverage('runs', 'minor.json', './runs/vitest/a.json', '--json=-', '--min', 'answers=100')
    const { claims, dimensions, minimums } = JSON.parse(stdout)
    expect(claims).toMatchObject([{ thresholds: { 18: { true: { count: 2 }, false: { count: 1 } } } }])
    expect(dimensions.answers.items[0].sides.true.tests).toEqual(['in the folder'])
    expect(minimums).toEqual([{ dimension: 'answers', percent: 100, met: true }])
  })

  test('without a file reads the folder .agekey-coverage of the working folder', async () => {
    mkdirSync(join(cwd, '.agekey-coverage'))
    write('.agekey-coverage/a.json', adultCounters())
    write('.agekey-coverage/b.json', minorCounters())
    expect((await coverage()).stdout).toMatch(/^Coverage of 2 files in \.agekey-coverage\n\nanswers +100 %/)
  })

  test('without a file and a folder asks the sandbox that runs, or a tenant of it', async () => {
    const sandbox = await startSandbox()
    const query = new URLSearchParams(
      useRequest({ claims: claims({ age_thresholds: [18] }), sandbox_persona: 'teen-16' }),
    )
    await fetch(`${sandbox.url}/t/qa/v1/oidc/use?${query}`, { redirect: 'manual' })
    const ofTenant = await coverage('--url', sandbox.url, '--tenant', 'qa')
    expect(ofTenant.stdout).toMatch(new RegExp(`^Coverage of the sandbox at ${sandbox.url}/t/qa\n\nanswers +50 %`))
    const byEnvironment = await run(['coverage'], { cwd, env: { AGEKEY_SANDBOX_URL: sandbox.url } })
    expect(byEnvironment.stdout).toMatch(new RegExp(`^Coverage of the sandbox at ${sandbox.url}\n\nanswers +50 %`))
  })

  test('ends with 1 below a minimum and says which dimension, what it has, what it needs and what is missing', async () => {
    write('adult.json', adultCounters())
    const { code, stdout } = await coverage('adult.json', '--min', 'answers=100,endings=25', '--min', 'must=80')
    expect(code).toBe(1)
    const lines = stdout.trimEnd().split('\n').slice(-2)
    expect(lines[0]).toBe(
      'answers is below its minimum: it has 50 % (2 of 4) and needs 100 %; missing are age_thresholds 18: false, age_thresholds 21: false',
    )
    expect(lines[1]).toMatch(
      /^must is below its minimum: it has 0 % \(0 of \d+\) and needs 80 %; missing are use\/\S+, .* and \d+ more$/,
    )
  })

  test('writes reports to files, of which the JSON can be read again', async () => {
    write('adult.json', adultCounters())
    const { code } = await coverage('adult.json', '--json', 'all.json', '--junit', 'all.xml', '--markdown', 'all.md')
    expect(code).toBe(0)
    expect(coverageSchema.safeParse(JSON.parse(read('all.json'))).success).toBe(true)
    expect(read('all.xml')).toContain('<testsuite name="answers" tests="4" failures="0" errors="0" skipped="2"')
    expect(read('all.md')).toMatch(/^## Coverage of answers: \d+ gaps\n/)
    const again = await coverage('all.json', '--json', 'all.json')
    expect(again.stdout).toMatch(/^Coverage of all\.json\n\nanswers +50 %/)
  })

  test('prints one report on standard output without a file, and the text for people on standard error', async () => {
    write('adult.json', adultCounters())
    const { stdout, stderr } = await coverage('adult.json', '--json')
    expect(JSON.parse(stdout).format).toBe(COVERAGE_FORMAT)
    expect(stderr).toMatch(/^Coverage of adult\.json\n/)
  })

  test('appends Markdown to the summary of a step', async () => {
    write('adult.json', adultCounters())
    write('summary.md', '<p>before</p>\n')
    await run(['coverage', 'adult.json'], { cwd, env: { GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') } })
    expect(read('summary.md')).toMatch(/^<p>before<\/p>\n\n## Coverage of answers: /)
  })
})

describe('agekey-sandbox coverage with bad input', () => {
  beforeEach(() => {
    write('adult.json', adultCounters())
    write('other.json', { ...adultCounters(), format: 99 })
    write('package.json', { name: 'x' })
    write('half.json', JSON.stringify(adultCounters()).slice(0, 100))
    write('page.html', '<html>')
    mkdirSync(join(cwd, 'empty'))
  })

  test.each([
    [
      ['adult.json', '--min', 'answer=100'],
      /^error: --min: there is no dimension "answer"\. Did you mean "answers"\?$/,
    ],
    [['adult.json', '--min', 'must=lots'], /^error: --min: must: "lots" is not a number from 0 to 100$/],
    [['other.json'], /^error: other\.json: it has format "99", .* this version reads format 1: /],
    [
      ['adult.json', 'package.json'],
      /^error: package\.json: it is no coverage file: it has no format, claims and rows; /,
    ],
    [['half.json'], /^error: half\.json: it is no coverage file: it is not JSON: /],
    [['page.html'], /^error: page\.html: it is no coverage file: it is not JSON: /],
    [['gone.json'], /^error: gone\.json: there is no such file or folder; run the tests with setupSandbox/],
    [['empty'], /^error: empty: the folder holds no coverage file \(\*\.json\); run the tests with /],
    [
      ['adult.json', '--url', 'http://127.0.0.1:1'],
      /^error: --url: a sandbox is asked, and adult\.json is a file; give one/,
    ],
    [['--url', 'nowhere'], /^error: --url: "nowhere" is not a URL like /],
    [
      ['adult.json', '--json', 'one.xml', '--junit', './one.xml'],
      /^error: --json and --junit both write to one.xml; give each its own/,
    ],
    [['adult.json', '--json', '--junit'], /^error: --json and --junit both write to standard output; give a file /],
    [['adult.json', '--json='], /^error: --json: "" names no file; give one, or - for standard output$/],
    [
      ['adult.json', '--json', 'adult.json'],
      /^error: --json: adult\.json holds the counters of a run, which are not replaced; name another /,
    ],
    [['--junit', 'adult.json', 'half.json'], /^error: --junit: adult\.json holds the counters of a run, which /],
    [['adult.json', '--mni', 'must=1'], /^error: unknown option '--mni' \(Did you mean --min\?\)$/],
  ])('%j says so in one line, exits with 2 and writes nothing', async (args, line) => {
    const before = readdirSync(cwd)
    const { code, stdout, stderr } = await coverage(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.trimEnd()).toMatch(line)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(readdirSync(cwd)).toEqual(before)
    expect(JSON.parse(read('adult.json'))).toEqual(JSON.parse(JSON.stringify(adultCounters())))
  })

  test('without a file, a folder and a sandbox names all three', async () => {
    rmSync(join(cwd, 'package.json'))
    const { code, stderr } = await coverage('--port', String(await findFreePort()))
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^error: there is no folder \.agekey-coverage here, and no sandbox: http:\/\/127\.0\.0\.1:\d+: nothing listens/,
    )
    expect(existsSync(join(cwd, '.agekey-coverage'))).toBe(false)
    const elsewhere = await coverage('--url', `http://127.0.0.1:${await findFreePort()}`)
    expect(elsewhere.code).toBe(2)
    expect(elsewhere.stderr).toMatch(/^error: http:\/\/127\.0\.0\.1:\d+: nothing listens there; start a sandbox /)
  })
})
