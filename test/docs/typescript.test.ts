import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { writeShapes } from '../../build/shapes.ts'
import { codeIn, fencedBlocks, ROOT, readDocuments, readPage, tableOf } from './page.ts'
import { makeScratchFolder } from './scratch-folder.ts'

/** Pages whose TypeScript is not compiled here, each with the reason. */
const NOT_COMPILED: Readonly<Record<string, string>> = {
  'docs/libraries.md': 'the SDK of the service is not on npm',
}

/** What stands before each block of a page that shows some lines of a test. */
const BEFORE: Readonly<Record<string, string>> = {
  'docs/driving.md': "declare const sandbox: import('agekey-sandbox').SandboxApi\n",
  'docs/library.md':
    "declare const page: import('@playwright/test').Page\ndeclare const authorizationUrl: string\n",
}

/** Files that the reader of a page has beside its blocks. */
const BESIDE: Readonly<Record<string, string>> = {
  'audit/start-app.d.ts':
    'export declare function startApp(env: Readonly<Record<string, string>>): Promise<string>',
  'ci/testcontainers.d.ts': `declare module 'testcontainers' {
    class GenericContainer {
      constructor(image: string)
      withEnvironment(variables: Record<string, string>): this
      withExposedPorts(port: number): this
      withWaitStrategy(strategy: object): this
      start(): Promise<{ getMappedPort(port: number): number; stop(): Promise<void> }>
    }
    const Wait: { forHealthCheck(): object }
  }`,
}

const CONFIG = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    moduleDetection: 'force',
    // An example declares names that its reader uses later, and leaves out imports of a test runner
    // with globals.
    noUnusedLocals: false,
    noUnusedParameters: false,
    types: ['node', 'vitest/globals'],
    paths: {
      'agekey-sandbox': [join(ROOT, 'src/index.ts')],
      'agekey-sandbox/*': [join(ROOT, 'src/*.ts')],
    },
  },
  include: ['*/*'],
}

test('Every TypeScript example of the documents compiles against the library', {
  timeout: 120_000,
}, async () => {
  const options = tableOf(readPage('library.md'), 'Option').flatMap(([names]) =>
    codeIn(names).flatMap((code) => /^\w+/.exec(code) ?? []),
  )
  expect(options.length).toBeGreaterThan(10)
  const files = new Map(Object.entries(BESIDE))
  for (const { path, text } of readDocuments()) {
    if (path in NOT_COMPILED) continue
    for (const { language, code, line } of fencedBlocks(text)) {
      if (language !== 'ts') continue
      const [, name = `line-${line}.ts`] = /^\/\/ ([\w.-]+\.ts)\n/.exec(code) ?? []
      files.set(join(basename(path, '.md'), name), (BEFORE[path] ?? '') + code)
    }
  }
  expect(files.size).toBeGreaterThan(20)
  files.set(
    'of-this-test/options.ts',
    `import { connectSandbox, type SandboxOptions } from 'agekey-sandbox'
    export const options: (keyof SandboxOptions)[] = ${JSON.stringify(options)}
    // @ts-expect-error A wrong name is an error: the examples are compared with the library.
    connectSandbox('http://localhost:2435').nexxt()`,
  )
  for (const [name, code] of Object.entries(publishedShapes()))
    files.set(`of-this-test/${name}`, code)
  const folder = makeScratchFolder()
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG))
  for (const [name, code] of files) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), code)
  }
  const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]
  const errors = await promisify(execFile)(process.execPath, tsc, { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
  expect(errors).toBe('')
})

/**
 * The types that the package publishes, and code that compiles when the library gives and takes
 * what they say.
 */
function publishedShapes(): Readonly<Record<string, string>> {
  const shapes = writeShapes().replaceAll(/'\.\/(.*)\.ts'/g, "'agekey-sandbox/$1'")
  // The package names what is built in; AuditedCheck is named by AuditReport only.
  const names = [
    ...shapes.matchAll(
      /^export (?:type|interface) (?!PersonaName|OutcomeName|AuditedCheck)(\w+)/gm,
    ),
  ]
  const compared = names.map(
    ([, name]) =>
      `export const written${name} = (shape: Immutable<Inferred.${name}>): Immutable<Written.${name}> => shape`,
  )
  return {
    'shapes.ts': shapes,
    'inferred.ts': ['server/client/shapes', 'audit/choices', 'audit/report/published-report']
      .map((file) => `export * from 'agekey-sandbox/${file}'`)
      .join('\n'),
    'compared.ts': `import type { Immutable } from 'agekey-sandbox/server/control/contract/contract'\nimport type * as Inferred from './inferred.ts'\nimport type * as Written from './shapes.ts'\n${compared.join('\n')}`,
  }
}
