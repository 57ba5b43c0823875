import { execFile } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readPersonas } from '../../../../src/sandbox/personas/persona-files.ts'
import type { Persona } from '../../../../src/sandbox/personas/persona-schema.ts'
import { copiesOf } from '../../../../src/workbench/console/playground/copies.ts'
import { folderWith } from '../../../support/folder-with.ts'
import { shareSandbox } from '../../../support/sandbox.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const claims = { age_thresholds: [13, 18], overrides: { facial_age_estimation: { min_age: 25 } } }

/** Text that has to be quoted in YAML, in a shell and in TypeScript. */
const own: Persona = {
  name: 'own-face',
  title: "O'Neil, by face",
  purpose: 'A quote " and a colon: both.',
  age_key: {
    signals: [
      {
        method: 'facial_age_estimation',
        age: { at_least_years: 26 },
        verified_at: 'now - 2d',
        provenance: '/yoti',
      },
    ],
  },
}

const sandbox = await shareSandbox()

async function copyOf(title: RegExp) {
  await sandbox.personas.put(own)
  const { age_thresholds: answers } = await sandbox.evaluate({ persona: own.name, claims })
  const { baseUrl, client } = sandbox
  const copies = await copiesOf({ claims, persona: own, answers, baseUrl, client })
  return copies.find((copy) => title.test(copy.title))?.text ?? ''
}

test('The copied YAML is a persona file that holds the same persona, with relative dates', async () => {
  expect(
    readPersonas([join(folderWith({ 'own.yaml': await copyOf(/YAML/) }), 'own.yaml')]),
  ).toEqual([own])
})

test('The copied expectation, run by a shell, makes the next Use flow that of the persona', async () => {
  await run('sh', ['-c', await copyOf(/^Expectation by curl/)])
  expect(await sandbox.expectations.list()).toMatchObject([
    { flow: 'use', persona: own.name, remaining: 1 },
  ])
})

test('The copied request, run by a shell, is answered as the persona', async () => {
  await run('sh', ['-c', await copyOf(/^The E1 request/)])
  expect(await sandbox.flows.last()).toMatchObject({
    persona: own.name,
    age_thresholds: { 13: true, 18: true },
  })
})

test('The copied test passes by itself in a project that has the package', async () => {
  const text = await copyOf(/Vitest/)
  const alias = { 'agekey-sandbox': join(root, 'src/index.ts') }
  const folder = folderWith({
    'vitest.config.mjs': `export default { resolve: { alias: ${JSON.stringify(alias)} } }`,
    'right.test.ts': text,
    'wrong.test.ts': text.replace('"18":true', '"18":false'),
  })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const vitest = run(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run'], {
    cwd: folder,
  })
  const stdout = expect.stringMatching(/1 failed.*1 passed/)
  const stderr = expect.stringMatching(/FAIL.*wrong\.test\.ts/)
  await expect(vitest).rejects.toMatchObject({ stdout, stderr })
}, 60_000)
