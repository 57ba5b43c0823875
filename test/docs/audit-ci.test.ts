import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { buildPackage } from '../support/built-package.ts'
import { findFreePort } from '../support/free-port.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'
import { createScratchFolder } from './scratch-folder.ts'

const readRoot = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const page = readPage('audit-ci.md')
const [, repository = ''] = /github\.com\/(.+)\.git"/.exec(readRoot('package.json')) ?? []
const yaml = codeBlocks(page, 'yaml')
const [script = ''] = codeBlocks(page, 'sh')

const action = z
  .object({ inputs: z.record(z.string(), z.unknown()), outputs: z.record(z.string(), z.unknown()) })
  .parse(parse(readRoot('action.yml')))
const job = z
  .object({
    audit: z.object({
      script: z.array(z.string()),
      artifacts: z.object({ paths: z.array(z.string()), reports: z.object({ junit: z.string() }) }),
    }),
  })
  .parse(parse(blockWith(yaml, '# .gitlab-ci.yml'))).audit

// The package is built first.
vi.setConfig({ testTimeout: 120_000 })

/** A project with the example app, whose `npx agekey-sandbox` is this version. */
async function makeProject(): Promise<string> {
  const { folder, remove } = createScratchFolder()
  afterAll(remove)
  const built = join(folder, 'node_modules/agekey-sandbox')
  await buildPackage(built)
  chmodSync(join(built, 'dist/bin.js'), 0o755)
  mkdirSync(join(folder, 'node_modules/.bin'))
  symlinkSync('../agekey-sandbox/dist/bin.js', join(folder, 'node_modules/.bin/agekey-sandbox'))
  writeFileSync(join(folder, 'app.js'), readRoot('examples/express/app.js'))
  writeFileSync(join(folder, 'package.json'), '{"type": "module", "scripts": {"start": "node app.js"}}')
  return folder
}

const project = await makeProject()

/** Runs a script in the project, with an audit of one row. */
async function runScript(text: string, shell: string) {
  const audit = 'npx agekey-sandbox audit '
  expect(text).toContain(audit)
  const quick = text.replace(audit, `${audit}--only use/id_token.expired `)
  const settings = { AGEKEY_SANDBOX_PORT: `${await findFreePort()}`, AGEKEY_SANDBOX_STATE_DIR: 'none' }
  const env = { ...process.env, ...settings, NODE_OPTIONS: '' }
  const { status, stdout, stderr } = spawnSync(shell, ['-c', quick], { cwd: project, env, encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

describe('The page on pipelines', () => {
  test('has every input and every output of the action', () => {
    const [, table = ''] = page.split('| Input | Meaning |')
    const inputs = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name)
    expect(inputs).toEqual(Object.keys(action.inputs))
    for (const output of Object.keys(action.outputs)) expect(page).toContain(`\`${output}\``)
  })

  test('uses the action of this repository, with the address and the command of the other recipes', () => {
    const workflow = blockWith(yaml, '# .github/workflows/audit.yml')
    const { steps } = z
      .object({
        jobs: z.object({ audit: z.object({ steps: z.array(z.looseObject({ uses: z.string().optional() })) }) }),
      })
      .parse(parse(workflow)).jobs.audit
    const [, , step] = steps
    expect(step).toEqual({ uses: `${repository}@main`, with: expect.anything() })
    const { url, start } = z.object({ with: z.strictObject({ url: z.string(), start: z.string() }) }).parse(step).with
    for (const commands of [script, job.script.join('\n')]) {
      expect(commands).toContain(`npx agekey-sandbox audit '${url}'`)
      expect(commands).toContain(`--start '${start}'`)
    }
  })

  test('uses every other action at a commit', () => {
    const used = [...page.matchAll(/uses: (.*)/g)].map(([, name = '']) => name)
    expect(used.length).toBe(3)
    const others = used.filter((name) => !name.startsWith(`${repository}@`))
    expect(others.filter((name) => !/^\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(name))).toEqual([])
  })
})

test('the job of GitLab audits the app and leaves what it keeps', async () => {
  const [install, pack, ...commands] = job.script
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(readRoot('package.json')))
  expect([install, pack]).toEqual(['npm ci', `npm install --no-save ./agekey-sandbox-${version}.tgz`])
  expect(await runScript(commands.join('\n'), 'bash')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^passed: /m),
  })
  const { paths, reports } = job.artifacts
  expect([...paths, reports.junit].filter((file) => !existsSync(join(project, file)))).toEqual([])
})

describe('The shell script', () => {
  test('audits the app and ends with 0 when it passes', async () => {
    expect(await runScript(script, 'sh')).toMatchObject({ code: 0, stdout: expect.stringMatching(/\npassed\n$/) })
  })

  test('ends as the audit does, and says what that means', async () => {
    const { code, stdout, stderr } = await runScript(script.replace('npm start', 'npm run no-such-script'), 'sh')
    expect(stderr).toMatch(/^error: --start: ".*npm run no-such-script" ended with code 1 before /m)
    expect({ code, stdout }).toMatchObject({ code: 2, stdout: expect.stringMatching(/^nothing could be shown: /m) })
  })
})
