import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { findFreePort } from '../support/free-port.ts'
import { makeProject } from '../support/project.ts'
import {
  blockWith,
  codeBlocks,
  codeIn,
  fencedBlocks,
  ROOT,
  readPage,
  readRoot,
  tableOf,
} from './page.ts'

const [testPart = '', auditPart = ''] = readPage('ci.md').split('\n## The audit in a pipeline\n')
const auditYaml = codeBlocks(auditPart, 'yaml')
const [script = ''] = codeBlocks(auditPart, 'sh')
const { name, version, repository } = JSON.parse(readRoot('package.json'))
const [, address = '', home = ''] =
  /git\+(https:\/\/github\.com\/(.*)\.git)$/.exec(repository.url) ?? []
const install = `npm install --no-save ./${name}-${version}.tgz`

const action = parse(readRoot('action.yml'))
const { audit: gitlabJob } = parse(blockWith(auditYaml, '# .gitlab-ci.yml'))

const project = await makeProject('express', 'jose')
project.write({
  'app.js': readRoot('examples/express/app.js'),
  'package.json': '{"type": "module", "scripts": {"start": "node app.js"}}',
})

/** Runs a script of a page at a port that is free. */
async function runScript(text: string, shell: string, ...flags: readonly string[]) {
  const port = `${await findFreePort()}`
  const settings = { AGEKEY_SANDBOX_PORT: port, AGEKEY_SANDBOX_STATE_DIR: 'none' }
  return project.run(shell, [...flags, '-c', text.replaceAll('2435', port)], settings)
}

/** The script with an audit of one row. */
function short(text: string) {
  const audit = 'npx agekey-sandbox audit '
  expect(text).toContain(audit)
  return text.replace(audit, `${audit}--only use/id_token.expired `)
}

test('The job of ci.md without a container drives a healthy sandbox', async () => {
  const [first = '', ...lines] = blockWith(codeBlocks(testPart, 'sh'), '# your tests').split('\n')
  expect(first).toBe(install)
  const asked = `curl -s http://localhost:2435/_sandbox/expectations`
  const { stdout } = await runScript(lines.join('\n').replace('# your tests', asked), 'bash', '-eu')
  expect(stdout).toMatch(
    /: healthy\n\{"expectations":\[\{"id":"[^"]+","flow":"use","persona":"teen-16"/,
  )
})

test('Every job of ci.md builds the image of this repository', () => {
  const jobs = fencedBlocks(testPart).map(({ code }) => code)
  const built = jobs.flatMap((code) => code.match(/docker build .*/g) ?? [])
  expect(built).toHaveLength(3)
  expect(built.filter((line) => !line.includes(`${address}#`))).toEqual([])
})

test('Every job of ci.md waits by the program of the image', () => {
  const jobs = fencedBlocks(testPart).map(({ code }) => code)
  expect(readRoot('Dockerfile')).toContain('ENTRYPOINT ["node", "/app/dist/bin.js"]')
  expect(jobs.join('').match(/node \/app\/dist\/bin\.js wait/g)).toHaveLength(2)
})

test('ci.md has every input of the action', () => {
  expect(tableOf(auditPart, 'Input').flatMap(([input]) => codeIn(input))).toEqual(
    Object.keys(action.inputs),
  )
})

test('ci.md has every output of the action', () => {
  for (const output of Object.keys(action.outputs)) expect(auditPart).toContain(`\`${output}\``)
})

test('ci.md uses the action of this repository', () => {
  const [, , step] = parse(blockWith(auditYaml, '# .github/workflows/audit.yml')).jobs.audit.steps
  const given = { url: expect.any(String), start: expect.any(String) }
  expect(step).toEqual({ uses: `${home}@main`, with: given })
})

test('The recipes of ci.md run the command that the action is given', () => {
  const [, , step] = parse(blockWith(auditYaml, '# .github/workflows/audit.yml')).jobs.audit.steps
  for (const commands of [script, gitlabJob.script.join('\n')]) {
    expect(commands).toContain(`npx agekey-sandbox audit '${step.with.url}'`)
    expect(commands).toContain(`--start '${step.with.start}'`)
  }
})

const workflows = readdirSync(`${ROOT}.github/workflows`).map((name) => `.github/workflows/${name}`)

test.each(['docs/ci.md', 'action.yml', ...workflows])(
  '%s uses other actions by commit and version',
  (path) => {
    const used = [...readRoot(path).matchAll(/uses: (?!\.\/)(.*)/g)].map(
      ([, action = '']) => action,
    )
    const others = used.filter((action) => !action.startsWith(`${home}@`))
    expect(others).not.toEqual([])
    expect(others.filter((action) => !/^\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual(
      [],
    )
  },
)

test('The job of ci.md for GitLab audits the app', async () => {
  const [first, second, ...commands] = gitlabJob.script
  expect(first).toBe('npm ci')
  expect(second).toEqual(install)
  const { code, stdout } = await runScript(short(commands.join('\n')), 'bash')
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^passed: /m) })
  const { paths, reports } = gitlabJob.artifacts
  for (const file of [...paths, reports.junit])
    expect(existsSync(join(project.folder, file)), file).toBe(true)
}, 60_000)

test('The shell script of ci.md ends with 0 when the audit passes', async () => {
  expect(await runScript(short(script), 'sh')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\npassed\n$/),
  })
}, 60_000)

test('The shell script of ci.md ends with 2 when nothing could be shown', async () => {
  expect(
    await runScript(short(script).replace('npm start', 'npm run no-such-script'), 'sh'),
  ).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^error: --start: ".*npm run no-such-script" ended with code 1 before /m,
    ),
    stdout: expect.stringMatching(/^nothing could be shown: /m),
  })
}, 60_000)
