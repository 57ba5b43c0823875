import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { folderWith } from '../support/folder-with.ts'
import { installInto, packInto } from '../support/packed.ts'

const folder = folderWith({}, afterAll)
let tarball = ''
beforeAll(async () => {
  tarball = await packInto(folder)
}, 120_000)

/** What is served from files of the package, beside the documents. */
const PATHS = [
  ...['/', '/_sandbox/docs', '/_sandbox/docs/search?q=issuer', '/llms.txt', '/_sandbox/README.md'],
  ...['/_sandbox/docs/library.md', '/_sandbox/docs/scenarios/teen-then-adult.yaml'],
  ...[
    '/_sandbox/public/schemas/audit-report.schema.json',
    '/_sandbox/assets/app.css',
    '/_sandbox/assets/logo.svg',
  ],
  ...[
    '/_sandbox/console/flows',
    '/_sandbox/console/playground?persona=adult-passport',
    '/_sandbox/personas',
  ],
]

/**
 * Asks for each of these, and for each document of the index: prints what is not answered with 200.
 */
const ASKING = `
  const index = await (await fetch(sandbox.url + '/_sandbox/docs')).text()
  const documents = [...index.matchAll(/href="([^"]*\\/_sandbox\\/docs\\/[^"]+)"/g)].map(([, path]) => path)
  const paths = [...${JSON.stringify(PATHS)}, ...documents]
  for (const path of paths) {
    const { status } = await fetch(new URL(path, sandbox.url))
    if (status !== 200) console.log(status, path)
  }
  console.log('documents:', documents.length)`

const SCRIPTS = {
  'asks.mjs': `import { createSandbox } from 'agekey-sandbox'
    const sandbox = await createSandbox()
    ${ASKING}
    await sandbox.close()`,
  'kits.mjs': `for (const kit of ['audit', 'playwright', 'vitest'])
    console.log(...Object.keys(await import('agekey-sandbox/' + kit)).sort())`,
}

/** How a package manager comes, installs a file, and runs a script or the command. */
interface Manager {
  readonly name: string
  /** The program, as a package of the registry and a file in it. */
  readonly from: readonly [name: string, file: string]
  readonly files?: Readonly<Record<string, string>>
  readonly node: readonly string[]
  readonly command: readonly string[]
}

const YARN = {
  // Without a lock file Yarn looks for a project further up.
  files: {
    'yarn.lock': '',
    '.yarnrc.yml': 'nodeLinker: pnp\nenableGlobalCache: false\nenableTelemetry: false\n',
  },
  node: ['node'],
  command: ['agekey-sandbox'],
}
const MANAGERS: readonly Manager[] = [
  ...['4.9.2', '4.18.0'].map(
    (version): Manager => ({
      name: `Yarn ${version} with PnP`,
      from: [`@yarnpkg/cli-dist@${version}`, '@yarnpkg/cli-dist/bin/yarn.js'],
      ...YARN,
    }),
  ),
  {
    name: 'pnpm',
    from: ['pnpm@10', 'pnpm/bin/pnpm.cjs'],
    node: ['exec', 'node'],
    command: ['exec', 'agekey-sandbox'],
  },
]

describe.each(MANAGERS)(
  'Installed by $name',
  ({ name, from: [program, file], files = {}, node, command }) => {
    const project = join(folder, name.replaceAll(' ', '-'))
    const programs = `${project}-programs`
    const start = (args: readonly string[]) => [join(programs, 'node_modules', file), ...args]
    const env = { ...process.env, NODE_OPTIONS: '', HOME: programs }
    const run = async (...args: readonly string[]) => {
      const options = { cwd: project, env, maxBuffer: 1e8 }
      return (await promisify(execFile)(process.execPath, start(args), options)).stdout
    }

    beforeAll(async () => {
      mkdirSync(project)
      const all = { 'package.json': '{"name": "fresh", "private": true}', ...SCRIPTS, ...files }
      for (const [path, text] of Object.entries(all)) writeFileSync(join(project, path), text)
      mkdirSync(programs)
      await installInto(programs, program)
      await run('add', tarball)
    }, 120_000)

    test(`The package serves every document by ${name}`, async () => {
      const said = await run(...node, 'asks.mjs')
      expect(said).toMatch(/^documents: \d\d\n$/)
    })

    test(`The package offers its test kits by ${name}`, async () => {
      const said = await run(...node, 'kits.mjs')
      expect(said).toBe(
        'AuditFinding AuditProblem audit auditTests drill\nauditTests sandboxFixtures\nauditTests setupSandbox\n',
      )
    })

    test(`The command of the package lists personas by ${name}`, async () => {
      expect(await run(...command, 'personas')).toContain('turns-18-tomorrow')
    })

    test(`The command of the package starts a sandbox with its documents by ${name}`, async () => {
      const args = start([...command, '--port', '0', '--log', 'json', '--state-dir', 'none'])
      const child = spawn(process.execPath, args, {
        cwd: project,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      })
      // The program of the manager may pass no signal on.
      onTestFinished(() => void (child.pid === undefined || process.kill(-child.pid, 'SIGKILL')))
      const [ready] = await once(createInterface(child.stdout), 'line')
      const { url } = JSON.parse(ready)
      const { status } = await fetch(`${url}/_sandbox/docs/library`)
      expect(status).toBe(200)
    })
  },
)
