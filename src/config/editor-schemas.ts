import * as z from 'zod'
import { personaSchema } from '../sandbox/personas/persona-schema.ts'
import { scenarioSchema } from '../sandbox/scenarios/scenario-schema.ts'
import { configSchema } from './config-schema.ts'

/** The files that people write, and the schemas that read them. */
const FILES = {
  config: { title: 'agekey-sandbox.yaml', schema: configSchema },
  persona: { title: 'A persona of agekey-sandbox', schema: personaSchema },
  scenario: { title: 'A scenario of agekey-sandbox', schema: scenarioSchema },
} as const

export type EditorSchemaName = keyof typeof FILES

export const EDITOR_SCHEMA_NAMES = ['config', 'persona', 'scenario'] as const satisfies EditorSchemaName[]

/**
 * The JSON Schema (draft 7, which every editor reads) of a kind of file. It is what an editor needs to complete and to
 * underline; what it cannot say (names that exist, dates that exist) the sandbox checks when it reads the file.
 */
export function createEditorSchema(name: EditorSchemaName): Readonly<Record<string, unknown>> {
  const { title, schema } = FILES[name]
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' })
  return { $schema, title, ...rest }
}
