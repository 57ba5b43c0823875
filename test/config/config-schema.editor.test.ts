import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { renderStarterFile } from '../../src/cli/init.ts'
import { configSchema } from '../../src/config/config-schema.ts'
import { personaSchema } from '../../src/sandbox/personas/persona-schema.ts'
import { scenarioSchema } from '../../src/sandbox/scenarios/scenario-schema.ts'

/** The files that people write, and the schemas that read them. */
const FILES = {
  config: { title: 'agekey-sandbox.yaml', schema: configSchema },
  persona: { title: 'A persona of agekey-sandbox', schema: personaSchema },
  scenario: { title: 'A scenario of agekey-sandbox', schema: scenarioSchema },
} as const

type EditorSchemaName = keyof typeof FILES

/**
 * The JSON Schema (draft 7, which every editor reads) of a kind of file. It is what an editor needs to complete and to
 * underline; what it cannot say (names that exist, dates that exist) the sandbox checks when it reads the file.
 */
function createEditorSchema(name: EditorSchemaName): Readonly<Record<string, unknown>> {
  const { title, schema } = FILES[name]
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' })
  return { $schema, title, ...rest }
}

const root = new URL('../../', import.meta.url)

/** Reads the schema as another program would: back from JSON. */
const validatorOf = (name: EditorSchemaName) => z.fromJSONSchema(JSON.parse(JSON.stringify(createEditorSchema(name))))

const filesIn = (folder: string) =>
  readdirSync(new URL(folder, root)).map((name) => ({
    name,
    value: parse(readFileSync(new URL(folder + name, root), 'utf8')),
  }))

test.each(['config', 'persona', 'scenario'] as const)(
  'the shipped schema of a %s is the one that reads it (renew it by vitest -u)',
  async (name) => {
    const file = fileURLToPath(new URL(`public/schemas/${name}.schema.json`, root))
    await expect(`${JSON.stringify(createEditorSchema(name), undefined, 2)}\n`).toMatchFileSnapshot(file)
  },
)

describe('an editor finds nothing wrong with', () => {
  test.each(filesIn('personas/'))('the built-in persona $name', ({ value }) => {
    expect(validatorOf('persona').safeParse(value).error).toBeUndefined()
  })

  test.each(filesIn('docs/scenarios/'))('the example scenario $name', ({ value }) => {
    expect(validatorOf('scenario').safeParse(value).error).toBeUndefined()
  })

  test('the starter config', () => {
    expect(validatorOf('config').safeParse(parse(renderStarterFile())).error).toBeUndefined()
  })
})

describe('an editor underlines', () => {
  test.each([
    ['persona', { name: 'x', title: 'X', purpose: 'X.', age_keys: {} }],
    ['persona', { title: 'X', purpose: 'X.' }],
    ['scenario', { name: 'X', steps: [{ decide: { flow: 'ues', persona: 'x' } }] }],
    ['scenario', { name: 'X', steps: [{ await: 'use' }] }],
    ['scenario', { name: 'X', steps: [] }],
    ['config', { prot: 1 }],
    ['config', { profile: 'agekye' }],
  ] as const)('in a %s: %j', (name, value) => {
    expect(validatorOf(name).safeParse(value).success).toBe(false)
  })
})
