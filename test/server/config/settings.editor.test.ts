// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the config file has such references
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { auditFileSchema } from '../../../src/audit/command/settings/settings.ts'
import { renderAuditFile } from '../../../src/audit/command/settings/write-audit-file.ts'
import { auditReportSchema } from '../../../src/audit/report/audit-report.ts'
import { personaSchema, personasSchema } from '../../../src/sandbox/personas/persona-schema.ts'
import { scenarioSchema } from '../../../src/sandbox/queue/scenario-schema.ts'
import { configSchema } from '../../../src/server/config/settings.ts'
import { renderStarterFile } from '../../../src/tools/cli/start/init.ts'
import { MIXED } from '../../audit/report/sample-report.ts'

/**
 * The files that people write (`input`) or that are written for other programs (`output`), and
 * their schemas.
 */
const FILES = {
  config: { title: 'agekey-sandbox.yaml', schema: configSchema, io: 'input' },
  persona: {
    title: 'A persona of agekey-sandbox',
    schema: z.union([personaSchema, personasSchema]),
    io: 'input',
  },
  scenario: { title: 'A scenario of agekey-sandbox', schema: scenarioSchema, io: 'input' },
  audit: { title: 'agekey-audit.yaml', schema: auditFileSchema, io: 'input' },
  'audit-report': {
    title: 'A report of agekey-sandbox audit',
    schema: auditReportSchema,
    io: 'output',
  },
} as const

type Name = keyof typeof FILES

/** The JSON Schema (draft 7, which every editor reads) of a kind of file. */
function createEditorSchema(name: Name): Readonly<Record<string, unknown>> {
  const { title, schema, io } = FILES[name]
  // `readonly()` speaks to the compiler; in a JSON Schema it would speak of a server that refuses
  // changes.
  const override = ({
    jsonSchema,
    path,
  }: {
    jsonSchema: z.core.JSONSchema.BaseSchema
    path: (string | number)[]
  }) => {
    delete jsonSchema.readOnly
    if (name === 'config' && !path.includes('propertyNames')) allowReference(jsonSchema)
  }
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-7',
    unrepresentable: 'any',
    override,
  })
  return { $schema, title, ...rest }
}

/** A value of the config file may be a reference to an environment variable: `port: ${PORT}`. */
function allowReference(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  const { type, enum: values, pattern } = jsonSchema
  if (
    values === undefined &&
    pattern === undefined &&
    !['integer', 'number', 'boolean'].includes(String(type))
  )
    return
  const plain = { ...jsonSchema }
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
  jsonSchema.anyOf = [plain, { type: 'string', pattern: '\\$\\{' }]
}

const root = new URL('../../../', import.meta.url)

/** Reads the schema as another program would: back from JSON. */
const validatorOf = (name: Name) =>
  z.fromJSONSchema(JSON.parse(JSON.stringify(createEditorSchema(name))))

const filesIn = (folder: string, schema: Name) =>
  readdirSync(new URL(folder, root)).map((name): [Name, string, unknown] => [
    schema,
    name,
    parse(readFileSync(new URL(folder + name, root), 'utf8')),
  ])

const NAMES = ['config', 'persona', 'scenario', 'audit', 'audit-report'] as const

test.each(NAMES)(
  'The shipped schema %s is the one that reads such files (renew it by vitest -u)',
  async (name) => {
    const file = fileURLToPath(new URL(`public/schemas/${name}.schema.json`, root))
    await expect(`${JSON.stringify(createEditorSchema(name), undefined, 2)}\n`).toMatchFileSnapshot(
      file,
    )
  },
)

const REPORT = JSON.parse(JSON.stringify(MIXED))
const LEARNED = renderAuditFile({
  app: 'http://a/verify',
  learned: {},
  given: { use: { accepted: 'text=Welcome' } },
})

test.each<[Name, what: string, value: unknown]>([
  ...filesIn('personas/', 'persona'),
  ...filesIn('docs/scenarios/', 'scenario'),
  ['audit', 'the file that --learn writes', parse(LEARNED)],
  ['config', 'the starter file', parse(renderStarterFile())],
  ['audit-report', 'a report', REPORT],
])('An editor finds nothing wrong with the %s: %s', (name, _what, value) => {
  expect(validatorOf(name).safeParse(value).error).toBeUndefined()
  expect(FILES[name].schema.safeParse(value).error).toBeUndefined()
})

test.each([
  { port: '${PORT}' },
  { https: '${HTTPS:-false}', profile: '${PROFILE}', seed: '${SEED}' },
  { lifetimes: { code: '${TTL}' }, provenance_allowlist: ['${PATH_OF_PROVIDER}'] },
  { certifications: { '/yoti': { id_doc_scan: '${LEVEL}' } } },
])('An editor finds nothing wrong with references in the config file: %j', (value) => {
  expect(validatorOf('config').safeParse(value).error).toBeUndefined()
})

test.each([
  ['config', { port: 'PORT' }],
  ['config', { https: 'yes' }],
  ['persona', { name: 'x', title: 'X', purpose: 'X.', age_keys: {} }],
  ['persona', { title: 'X', purpose: 'X.' }],
  ['scenario', { name: 'X', steps: [{ decide: { flow: 'ues', persona: 'x' } }] }],
  ['scenario', { name: 'X', steps: [{ await: 'use' }] }],
  ['scenario', { name: 'X', steps: [] }],
  ['config', { prot: 1 }],
  ['config', { profile: 'agekye' }],
  ['audit', { fail_no: 'must' }],
  ['audit', { fail_on: 'always' }],
  ['audit', { known: [{ row: 'use/id_token.kid_empty' }] }],
  ['audit-report', { ...REPORT, exit_code: 4 }],
  ['audit-report', { ...REPORT, rows: [{ row: 'use/id_token.expired' }] }],
  ['audit-report', { ...REPORT, extra: 1 }],
] as const)('An editor underlines a mistake in a file of the kind %s: %j', (name, value) => {
  expect(validatorOf(name).safeParse(value).success).toBe(false)
})
