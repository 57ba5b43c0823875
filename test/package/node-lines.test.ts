import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type InstalledPackage, installPackage } from './installed-package.ts'

let project: InstalledPackage
beforeAll(() => {
  project = installPackage()
})

const DRIVE = `
  const sandbox = await createSandbox()
  await sandbox.next({ persona: 'teen-16' })
  const query = new URLSearchParams({
    scope: 'openid', response_type: 'id_token', client_id: sandbox.client.clientId, state: 's', nonce: 'n',
    redirect_uri: 'http://localhost:3000/callback', claims: '{"age_thresholds":[13,18]}',
  })
  await fetch(sandbox.url + '/v1/oidc/use?' + query, { redirect: 'manual' })
  const { age_thresholds } = await sandbox.flows.last()
  console.log(JSON.stringify(age_thresholds))
  await sandbox.close()`

/** The binary of a release line, from the registry: the one that runs the tests is not the only one that users have. */
function nodeOf(line: string): string {
  const folder = join(project.folder, `node-${line}`)
  mkdirSync(folder)
  const name = `node-${process.platform}-${process.arch}`
  project.run('npm', 'install', '--silent', '--prefix', folder, `${name}@${line}`)
  return join(folder, 'node_modules', name, 'bin/node')
}

test.each(['20', '22', '24'])('Node %s imports it, requires it and runs its bin', (line) => {
  const node = nodeOf(line)
  project.write('drive.mjs', `import { createSandbox } from 'agekey-sandbox'\n${DRIVE}`)
  project.write('drive.cjs', `const { createSandbox } = require('agekey-sandbox')\nvoid (async () => {${DRIVE}\n})()`)
  for (const file of ['drive.mjs', 'drive.cjs']) expect(project.run(node, file)).toBe('{"13":true,"18":false}\n')
  expect(project.run(node, 'node_modules/agekey-sandbox/dist/bin.js', '--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
})
