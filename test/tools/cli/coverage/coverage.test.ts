import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COVERAGE_FORMAT, coverageSchema } from '../../../../src/sandbox/coverage/coverage.ts'
import { missedMinimums, readMinimums } from '../../../../src/tools/cli/coverage/coverage.ts'
import { seenOf } from '../../../sandbox/coverage/seen.ts'
import { folderWith } from '../../../support/folder-with.ts'
import { findFreePort } from '../../../support/free-port.ts'
import { sendUse } from '../../../support/requests.ts'
import { startSandbox } from '../../../support/sandbox.ts'
import { run } from '../in-process.ts'
import { ADULT_SEEN, described, MINOR_SEEN } from './sample-coverage.ts'

test('Minimums of coverage name dimensions, each with a percent', () => {
  expect(readMinimums('answers=100, must=79.5')).toEqual([
    { dimension: 'answers', percent: 100 },
    { dimension: 'must', percent: 79.5 },
  ])
  expect(readMinimums(undefined)).toEqual([])
})

test.each([
  ['answer=100', '--min: there is no dimension "answer". Did you mean "answers"?'],
  ['all=100', '--min: there is no dimension "all". Known are answers, endings, must.'],
  ['filters=100', '--min: there is no dimension "filters". Known are answers, endings, must.'],
  ['80', '--min: "80" is not a dimension and a percent like answers=100'],
  ['', '--min: "" is not a dimension and a percent like answers=100'],
  ['answers=100,', '--min: "" is not a dimension and a percent like answers=100'],
  ['must=', '--min: must: "" is not a number from 0 to 100'],
  ['must=80%', '--min: must: "80%" is not a number from 0 to 100'],
  ['must=101', '--min: must: "101" is not a number from 0 to 100'],
  ['must=-1', '--min: must: "-1" is not a number from 0 to 100'],
  ['must=1e1', '--min: must: "1e1" is not a number from 0 to 100'],
  ['must=80,must=90', '--min: must is given twice; keep one'],
])('Minimums of coverage that are written as %j are refused in one line', (text, message) => {
  expect(() => readMinimums(text)).toThrow(message)
})

test('A minimum of coverage is missed below its exact percent, and reached there', async () => {
  const coverage = await described(ADULT_SEEN)
  const missedBy = (text: string) =>
    missedMinimums(coverage, readMinimums(text)).map(({ dimension }) => dimension)
  expect(coverage.dimensions.answers.percent).toBe(50)
  expect(missedBy('answers=50,endings=25')).toEqual([])
  expect(missedBy('answers=50.1')).toEqual(['answers'])
  // 1 of 4 endings is 25 %; 2 of 6 would be rounded down to 33.
  const answers = { ...coverage.dimensions.answers, covered: 2, total: 6, percent: 33 }
  const third = { ...coverage, dimensions: { ...coverage.dimensions, answers } }
  expect(missedMinimums(third, readMinimums('answers=33.3'))).toEqual([])
})

test('Minimums of coverage are reached where the app has nothing to see, and missed where nothing was delivered at all', async () => {
  const noClaims = await described(seenOf({ names: ['asked create'] }))
  expect(missedMinimums(noClaims, readMinimums('answers=100'))).toEqual([])
  const missed = missedMinimums(await described(seenOf()), readMinimums('answers=1,endings=0'))
  expect(missed).toEqual([{ dimension: 'answers', percent: 1 }])
})

/**
 * Runs the command in a folder with these files, and with what an adult sees in `adult.json`.
 */
function coverageIn(files: Readonly<Record<string, unknown>> = {}) {
  const cwd = folderWith({ 'adult.json': ADULT_SEEN, ...files })
  return {
    cwd,
    read: (name: string) => readFileSync(join(cwd, name), 'utf8'),
    coverage: (args = '', env = {}) =>
      run(['coverage', ...args.split(' ').filter(Boolean)], { cwd, env }),
  }
}

test('coverage says what was read, each dimension, and what closes each gap', async () => {
  const { code, stdout, stderr } = await coverageIn().coverage('adult.json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^Coverage of adult\.json\n\nanswers +50 % +\[#{10}\.{10}\] +2 of 4\n/)
  expect(stdout).toMatch(/^must +0 % .* 0 of \d+$/m)
  expect(stdout).toMatch(
    /^answers: 2 gaps\n {2}age_thresholds 18: false +run a Use flow as \S+: it answers 18: false/m,
  )
  expect(stdout).toMatch(
    /^must: \d+ gaps\n( {2}use\/.+ force the outcome .+\n){5} {2}and \d+ more/m,
  )
  expect(stdout).toMatch(
    /^Not used by the app, and no gap: create \(no valid Create request came \(E3\)\); upgrade /m,
  )
})

test('coverage adds files and folders up, and reads a file once that is named twice', async () => {
  const runs = {
    'runs/vitest/a.json': ADULT_SEEN,
    'runs/notes.txt': 'no coverage',
  }
  const { coverage } = coverageIn({
    ...runs,
    'minor.json': { ...MINOR_SEEN, catalogue: '0.1' },
  })
  const { stdout, stderr } = await coverage(
    'runs minor.json ./runs/vitest/a.json --json=- --min answers=100',
  )
  expect(stderr).toContain(
    'minor.json: written by agekey-sandbox 0.1.0 with catalogue 0.1; what is missing is found',
  )
  const { dimensions, minimums } = JSON.parse(stdout)
  expect(dimensions.answers).toMatchObject({ covered: 4, total: 4 })
  expect(minimums).toEqual([{ dimension: 'answers', percent: 100, met: true }])
})

test('coverage without a file reads the folder .agekey-coverage, or else asks the sandbox that runs, or a tenant of it', async () => {
  const kept = coverageIn({
    '.agekey-coverage/a.json': ADULT_SEEN,
    '.agekey-coverage/b.json': MINOR_SEEN,
  })
  expect((await kept.coverage()).stdout).toMatch(
    /^Coverage of 2 files in \.agekey-coverage\n\nanswers +100 %/,
  )
  const { url } = await startSandbox()
  const { coverage } = coverageIn()
  await sendUse(`${url}/t/qa`, { sandbox_persona: 'teen-16' })
  const ofTenant = await coverage(`--url ${url} --tenant qa`)
  expect(ofTenant.stdout).toMatch(
    new RegExp(`^Coverage of the sandbox at ${url}/t/qa\n\nanswers +50 %`),
  )
  const byEnvironment = await coverage('', { AGEKEY_SANDBOX_URL: url })
  expect(byEnvironment.stdout).toMatch(
    new RegExp(`^Coverage of the sandbox at ${url}\n\nanswers +50 %`),
  )
})

test('coverage ends with 1 below a minimum and says which, what it has, what it needs and what is missing', async () => {
  const { coverage, read } = coverageIn()
  const { code, stdout } = await coverage(
    'adult.json --min answers=100,endings=25 --min must=80 --junit all.xml',
  )
  expect(code).toBe(1)
  const missing = 'missing are age_thresholds 18: false, age_thresholds 21: false'
  const must =
    /^must is below its minimum: it has 0 % \(0 of \d+\) and needs 80 %; missing are use\/\S+, .* and \d+ more$/
  expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
    `answers is below its minimum: it has 50 % (2 of 4) and needs 100 %; ${missing}`,
    expect.stringMatching(must),
  ])
  const failed =
    /<testcase name="age_thresholds 18: false [^>]*>\n +<failure message="run a Use flow as /
  expect(read('all.xml')).toMatch(failed)
  expect(read('all.xml')).toMatch(
    /<testsuite name="endings" tests="4" failures="0" errors="0" skipped="3"/,
  )
})

test('coverage writes reports to files, of which the JSON can be read and written again', async () => {
  const { coverage, read } = coverageIn()
  expect(
    (await coverage('adult.json --json all.json --junit all.xml --markdown all.md')).code,
  ).toBe(0)
  expect(coverageSchema.safeParse(JSON.parse(read('all.json'))).success).toBe(true)
  expect(read('all.xml')).toContain(
    '<testsuite name="answers" tests="4" failures="0" errors="0" skipped="2"',
  )
  const gap =
    '<testcase name="age_thresholds 18: false of {&quot;age_thresholds&quot;:[18,21]}" classname="answers" time="0.000">'
  const [, closed] = read('all.xml').split(`${gap}\n      <skipped message="run a Use flow as `)
  expect(closed).toMatch(/^\S+: it answers 18: false/)
  expect(read('all.xml')).toContain('<testcase name="verified" classname="endings" time="0.000"/>')
  expect(read('all.md')).toMatch(/^## Coverage of answers: \d+ gaps\n/)
  expect((await coverage('all.json --json all.json')).stdout).toMatch(
    /^Coverage of all\.json\n\nanswers +50 %/,
  )
})

test('coverage prints a report on stdout without a file, the text on stderr, and appends Markdown to the summary of a step', async () => {
  const { coverage, cwd, read } = coverageIn({ 'summary.md': '<p>before</p>\n' })
  const { stdout, stderr } = await coverage('adult.json --json', {
    GITHUB_STEP_SUMMARY: join(cwd, 'summary.md'),
  })
  expect(JSON.parse(stdout).format).toBe(COVERAGE_FORMAT)
  expect(stderr).toMatch(/^Coverage of adult\.json\n/)
  expect(read('summary.md')).toMatch(/^<p>before<\/p>\n\n## Coverage of answers: /)
})

const KEPT =
  /--json: adult\.json holds the coverage of a run, which is not replaced; name another .*/

test.each([
  ['other.json', /other\.json: it has format "99", .* this version reads format 2: .*/],
  [
    'adult.json package.json',
    /package\.json: it is no coverage file: it has no format, catalogue and claims; .*/,
  ],
  ['half.json', /half\.json: it is no coverage file: it is not JSON: .*/],
  ['page.html', /page\.html: it is no coverage file: it is not JSON: .*/],
  ['wide.json', /wide\.json: is UTF-16 \(PowerShell's > writes that\); save it as UTF-8: .*/],
  ['gone.json', /gone\.json: there is no such file or folder; run the tests with setupSandbox.*/],
  ['runs', /runs: the folder holds no coverage file \(\*\.json\); run the tests with .*/],
  [
    'adult.json --url http://127.0.0.1:1',
    /--url: a sandbox is asked, and adult\.json is a file; give one.*/,
  ],
  ['--url nowhere', /--url: "nowhere" is not a URL like .*/],
  [
    'adult.json --json one.xml --junit ./one.xml',
    /--json and --junit both write to one.xml; give each its own.*/,
  ],
  ['adult.json --json --junit', /--json and --junit both write to standard output; give a file .*/],
  ['adult.json --json=', /--json: "" names no file; give one, or - for standard output/],
  ['adult.json --json adult.json', KEPT],
  ['--junit adult.json half.json', /--junit: adult\.json holds the coverage of a run, which .*/],
])(
  'coverage %s says what is wrong in one line, exits with 2 and writes nothing',
  async (args, line) => {
    const { coverage, cwd, read } = coverageIn({
      ...{
        'other.json': { ...ADULT_SEEN, format: 99 },
        'package.json': { name: 'x' },
        'page.html': '<html>',
      },
      'wide.json': Buffer.from('\uFEFF{}', 'utf16le'),
      ...{
        'half.json': JSON.stringify(ADULT_SEEN).slice(0, 100),
        'runs/notes.txt': 'no coverage',
      },
    })
    const before = [readdirSync(cwd), read('adult.json')]
    const stderr = expect.stringMatching(new RegExp(`^error: ${line.source}\n$`))
    expect(await coverage(args)).toEqual({ code: 2, stdout: '', stderr })
    expect([readdirSync(cwd), read('adult.json')]).toEqual(before)
  },
)

test('coverage without a file, a folder and a sandbox names all three', async () => {
  const { coverage, cwd } = coverageIn()
  const port = await findFreePort()
  const nowhere = `http://localhost:${port}: nothing listens there; start a sandbox `
  const { code, stderr } = await coverage(`--port ${port}`)
  expect(code).toBe(2)
  expect(stderr).toContain(
    `error: there is no folder .agekey-coverage here, and no sandbox: ${nowhere}`,
  )
  expect(existsSync(join(cwd, '.agekey-coverage'))).toBe(false)
  const elsewhere = await coverage(`--url http://localhost:${port}`)
  expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining(`error: ${nowhere}`) })
})
