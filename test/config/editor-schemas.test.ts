import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { STARTER_CONFIG } from '../../src/cli/starter-config.ts'
import { createEditorSchema, EDITOR_SCHEMA_NAMES, type EditorSchemaName } from '../../src/config/editor-schemas.ts'

const root = new URL('../../', import.meta.url)

/** Reads the schema as another program would: back from JSON. */
const validatorOf = (name: EditorSchemaName) => z.fromJSONSchema(JSON.parse(JSON.stringify(createEditorSchema(name))))

const filesIn = (folder: string) =>
  readdirSync(new URL(folder, root)).map((name) => ({
    name,
    value: parse(readFileSync(new URL(folder + name, root), 'utf8')),
  }))

test.each(EDITOR_SCHEMA_NAMES)(
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
    expect(validatorOf('config').safeParse(parse(STARTER_CONFIG)).error).toBeUndefined()
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
