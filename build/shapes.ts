import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { choicesSchema } from '../src/audit/choices.ts'
import { auditReportSchema, VERDICTS } from '../src/audit/report/audit-report.ts'
import { clientSchema } from '../src/sandbox/clients/client-schema.ts'
import { coverageSchema } from '../src/sandbox/coverage/coverage.ts'
import { OUTCOMES } from '../src/sandbox/outcomes/catalogue.ts'
import { CHECKS, REQUIREMENT_LEVELS } from '../src/sandbox/outcomes/outcome.ts'
import { readPersonas } from '../src/sandbox/personas/persona-files.ts'
import { PERSONA_GROUPS } from '../src/sandbox/personas/persona-schema.ts'
import { newExpectationSchema } from '../src/sandbox/queue/expectation.ts'
import { SETTING_ROWS } from '../src/server/config/settings.ts'
import { OPERATIONS } from '../src/server/control/contract/contract.ts'
import { flowSchema } from '../src/server/control/contract/flows.ts'
import { claimsSchema } from '../src/service/age/claims.ts'
import { METHOD_NAMES } from '../src/service/age/methods.ts'
import { evaluationSignalSchema, personaSignalSchema } from '../src/service/age/signal.ts'
import { ASSURANCE_LEVELS } from '../src/service/age/vocabulary.ts'
import { CALLS } from '../src/service/oidc/endpoints.ts'
import { lifetimesSchema, SIGNING_ALGORITHMS } from '../src/service/oidc/ports.ts'
import { findingSchema } from '../src/service/oidc/rules/finding.ts'
import { PROFILES } from '../src/service/oidc/rules/profile.ts'
import { camelCase } from '../src/service/text/camel-case.ts'

const ROOT = new URL('../', import.meta.url)
const MAX_WIDTH = 120

type Schema = z.core.$ZodType

/**
 * How a shape is written: as a result, as a readonly report, as readonly input, or as input with
 * names in camelCase.
 */
type Mode = 'result' | 'report' | 'input' | 'option'

/** Types of the domain by their file, with the values of enums; shapes refer to these types. */
const OF_DOMAIN: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'service/age/methods': { Method: METHOD_NAMES },
  'service/age/signal-schema': { AgeSignal: [], SubmittedAgeSignal: [] },
  'service/age/vocabulary': { AssuranceLevel: ASSURANCE_LEVELS },
  'service/oidc/ports': { SigningAlgorithm: SIGNING_ALGORITHMS },
  'service/oidc/rules/profile': { Profile: PROFILES },
  'service/oidc/endpoints': { CallName: CALLS },
  'sandbox/outcomes/outcome': { RequirementLevel: REQUIREMENT_LEVELS },
  'audit/report/audit-report': { VerdictName: VERDICTS },
  'sandbox/personas/persona-schema': { PersonaGroup: PERSONA_GROUPS },
}

const { listFlows, exportFlow, evaluate, armScenario, getTenant, putTenant, getPersona, getClock } =
  OPERATIONS
const overrides = bare(claimsSchema.shape.overrides)
const override = at(overrides, 'id_doc_scan')
const decision = newExpectationSchema.extend({
  flow: newExpectationSchema.shape.flow
    .optional()
    .describe('The flow that has the outcome, Use first, when left out'),
})
/** The help of a flag, worded for an option: `--https-key` becomes `httpsKey`. */
const inOptions = (help: string) =>
  help
    .replace(/^./, (letter) => letter.toUpperCase())
    .replaceAll(/--([a-z-]+)/g, (_, flag) => camelCase(flag.replaceAll('-', '_')))
const settings = z.object(
  Object.fromEntries(
    SETTING_ROWS.filter(([name]) => name !== 'log').map(([name, { schema, option, help }]) => [
      name,
      schema.optional().describe(option ?? inOptions(help)),
    ]),
  ),
)

/** The types of the library: name, schema, mode, and a sentence about the type. */
const SHAPES: readonly (readonly [name: string, schema: Schema, mode: Mode, about: string])[] = [
  [
    'Claims',
    claimsSchema,
    'input',
    'What a relying party asks (specification, "Claims object"), under its wire names.',
  ],
  [
    'Override',
    override,
    'input',
    'Requirements for the signals of one method. `verified_after` and `iso_27566_1` replace those of the claims.',
  ],
  [
    'Question',
    evaluate.body,
    'input',
    'Claims, and whose age signals to evaluate: give exactly one of `persona` and `signals`.',
  ],
  [
    'EvaluationResult',
    evaluate.result,
    'result',
    'What a persona or age signals would answer to claims, and why.',
  ],
  [
    'ThresholdTrace',
    at(evaluate.result, 'trace'),
    'result',
    'Why one entry of the requested thresholds holds or not.',
  ],
  [
    'SignalTrace',
    at(evaluate.result, 'trace', 'signals'),
    'result',
    'Which filters one signal passed.',
  ],
  [
    'Check',
    at(evaluate.result, 'trace', 'signals', 'checks'),
    'result',
    'One filter applied to one signal. An absent filter passes.',
  ],
  [
    'Persona',
    getPersona.result,
    'result',
    'A test user, as a persona file declares it. Dates may be relative: `today - 18y + 1d`, `now - 30d`.',
  ],
  ['NextDecision', decision, 'input', 'A decision for a coming request.'],
  ['Expectation', OPERATIONS.addExpectation.result, 'result', 'A decision that is queued.'],
  [
    'Scenario',
    armScenario.body,
    'input',
    'A scenario, as its file declares it: what users do, in order, and what the relying party must send.',
  ],
  [
    'ScenarioStep',
    at(armScenario.body, 'steps'),
    'input',
    'Exactly one of `decide`, `await` and `clock`.',
  ],
  ['ScenarioProgress', armScenario.result, 'result', 'How far a scenario has come.'],
  ['StepProgress', at(armScenario.result, 'steps'), 'result', 'How far one step has come.'],
  ['FlowKind', flowSchema.shape.flow, 'result', 'What a user does: a flow of the journal.'],
  [
    'FlowStatus',
    flowSchema.shape.status,
    'result',
    '`error`: a call was refused or got no response, or the callback carries `error`.',
  ],
  ['Flow', flowSchema, 'result', 'All calls that belong together, as the journal shows them.'],
  ['CallRecord', at(flowSchema, 'calls'), 'result', 'One call of a flow. Secrets are masked.'],
  [
    'Finding',
    at(flowSchema, 'calls', 'findings'),
    'result',
    'A rule that a request broke: what is wrong, where, and what to do about it.',
  ],
  [
    'FlowFilter',
    listFlows.query.omit({ wait: true, since: true, limit: true }),
    'input',
    'Which flows to look for.',
  ],
  ['RecordingName', exportFlow.params.shape.as, 'input', 'The formats of a flow as a file.'],
  ['FlowRecording', exportFlow.result, 'result', 'A flow as a file.'],
  ['Coverage', coverageSchema, 'report', 'What was delivered to clients, and what is missing.'],
  [
    'CoverageDimension',
    at(coverageSchema, 'dimensions', 'must'),
    'report',
    'One thing that the coverage looks at.',
  ],
  [
    'CoverageItem',
    at(coverageSchema, 'dimensions', 'must', 'items'),
    'report',
    'One thing to see: covered when each of its sides was seen, half when some were.',
  ],
  [
    'CoverageSide',
    at(coverageSchema, 'dimensions', 'must', 'items', 'sides'),
    'report',
    'One side of an item: seen, or what closes the gap.',
  ],
  [
    'AuditReport',
    auditReportSchema.omit({ learned: true, readings: true, first_started_at: true }),
    'report',
    'What an audit found; `public/schemas/audit-report.schema.json` says the same for a file.',
  ],
  [
    'AuditedCheck',
    at(auditReportSchema, 'checks'),
    'report',
    'The verdict on one check of the app, which explains those on its rows.',
  ],
  [
    'AuditedRow',
    at(auditReportSchema, 'rows'),
    'report',
    'The verdict on one row of the catalogue.',
  ],
  ['AuditChoices', choicesSchema, 'input', 'What the audits of a function have in common.'],
  ['KnownFinding', at(choicesSchema, 'known'), 'input', 'A finding that is accepted for now.'],
  ['ClockState', getClock.result, 'result', 'What the clock of a sandbox shows.'],
  [
    'ClientSettings',
    clientSchema,
    'option',
    'A relying party as `createSandbox` and `configure` take it.',
  ],
  ['Lifetimes', lifetimesSchema, 'input', 'How long things live, in seconds.'],
  [
    'TenantReadings',
    getTenant.result.pick({ readings: true }),
    'result',
    'What `configure` has set of the readings of a tenant.',
  ],
  [
    'TenantChange',
    putTenant.body,
    'option',
    'What a tenant may have of its own. What is left out stays, null takes a default away.',
  ],
  ['GivenSettings', settings, 'option', 'The settings of the config file in camelCase.'],
]

/**
 * The type that stands for a schema. The types of attributes and signals are wider than their
 * schemas, of which each method has its own.
 */
const NAMES = new Map<unknown, string>([
  ...SHAPES.map(([name, schema]) => [bare(schema)._zod.def, name] as const).filter(
    ([def]) => def.type !== 'enum',
  ),
  [overrides._zod.def, '{ readonly [Name in Method]?: Override | undefined }'],
  [
    at(override, 'attributes')._zod.def,
    'Readonly<Record<string, boolean | readonly string[] | undefined>>',
  ],
  [evaluate.body.shape.claims._zod.def, 'Claims'],
  [evaluate.body.shape.signals.unwrap()._zod.def, 'readonly (AgeSignal | SubmittedAgeSignal)[]'],
  [evaluationSignalSchema._zod.def, 'AgeSignal | SubmittedAgeSignal'],
  [personaSignalSchema._zod.def, 'AgeSignal'],
  [findingSchema.shape.rule._zod.def, 'string'],
])

const ENUM_NAMES = new Map([
  [CHECKS.join(), 'string'] as const,
  ...Object.values(OF_DOMAIN).flatMap((types) =>
    Object.entries(types).map(([name, values]) => [values.join(), name] as const),
  ),
  ...SHAPES.flatMap(([name, schema]) => {
    const one = bare(schema)
    return one instanceof z.ZodEnum ? [[one.options.join(), name] as const] : []
  }),
])

/** The text of a declaration file with the types of the library. */
export function writeShapes(): string {
  const personas = readPersonas([fileURLToPath(new URL('personas', ROOT))]).map(({ name }) => name)
  const imports = Object.entries(OF_DOMAIN).map(
    ([file, types]) => `import type { ${Object.keys(types).join(', ')} } from './${file}.ts'`,
  )
  const names = [
    ['PersonaName', 'A built-in persona.', [...personas]],
    ['OutcomeName', 'An outcome of the catalogue.', OUTCOMES.map(({ name }) => name)],
  ] as const
  const parts = [
    imports.join('\n'),
    ...SHAPES.map(([name, schema, mode, about]) =>
      declaration(name, bare(schema), { mode, about }),
    ),
    ...names.map(
      ([name, about, values]) =>
        `/** ${about} */\nexport type ${name} = ${literals([...new Set(values)].toSorted())}`,
    ),
    '/** A built-in persona, or one of your own. */\nexport type KnownPersona = PersonaName | (string & Record<never, never>)',
    '/** An outcome of the catalogue; a name that is none is refused at run time. */\nexport type KnownOutcome = OutcomeName | (string & Record<never, never>)',
  ]
  return `${parts.join('\n\n')}\n`
}

function declaration(
  name: string,
  schema: Schema,
  { mode, about }: { mode: Mode; about: string },
): string {
  const head = `/** ${about} */\nexport`
  if (schema instanceof z.ZodEnum) return `${head} type ${name} = ${literals(schema.options)}`
  if (!(schema instanceof z.ZodObject)) throw new Error(`${name} is neither an object nor an enum`)
  const members = Object.entries(schema.shape).map(([key, member]) => {
    const code = memberOf(key, member, mode)
    const said = aboutOf(member)
    const comment = said === undefined ? '' : `/** ${said} */`
    if (comment === '') return `  ${code}`
    return `  ${comment}${comment.length + code.length + 3 > MAX_WIDTH ? '\n  ' : ' '}${code}`
  })
  return `${head} interface ${name} {\n${members.join('\n')}\n}`
}

/** `readonly name?: string | undefined` */
function memberOf(key: string, schema: Schema, mode: Mode): string {
  const isOptional = schema instanceof z.ZodOptional
  const isName = mode === 'input' || mode === 'option'
  const known = { persona: 'KnownPersona', outcome: 'KnownOutcome' }[key]
  const text = written(schema, mode)
  const type = known !== undefined && isName ? text.replace(/^string\b/, known) : text
  const name = mode === 'option' ? camelCase(key) : key
  return `${mode === 'result' ? '' : 'readonly '}${name}${isOptional ? '?' : ''}: ${type}${isOptional ? ' | undefined' : ''}`
}

/** The type of a schema as text. */
function written(schema: Schema, mode: Mode): string {
  const write = (inner: Schema) => written(inner, mode)
  const readonly = mode === 'result' ? '' : 'readonly '
  const named = NAMES.get(schema._zod.def)
  if (named !== undefined) return named
  if (schema instanceof z.ZodOptional) return write(schema.unwrap())
  if (schema instanceof z.ZodNullable) return `${write(schema.unwrap())} | null`
  if (schema instanceof z.ZodReadonly)
    return written(schema.unwrap(), mode === 'result' ? 'report' : mode)
  if (schema instanceof z.ZodLazy) return write(schema.unwrap())
  if (schema instanceof z.ZodPipe)
    return write(schema.in instanceof z.ZodTransform ? schema.out : schema.in)
  if (schema instanceof z.ZodArray) {
    const item = write(schema.element)
    return `${readonly}${item.includes(' ') && !item.startsWith('{') ? `(${item})` : item}[]`
  }
  if (schema instanceof z.ZodUnion) {
    const list = schema.options.find((option) => option instanceof z.ZodArray)
    return mode === 'option' && list
      ? write(list)
      : [...new Set(schema.options.map(write))].join(' | ')
  }
  if (schema instanceof z.ZodRecord) {
    const isPartial = schema.keyType instanceof z.ZodEnum
    const table = `Record<${write(schema.keyType)}, ${write(schema.valueType)}>`
    const whole = isPartial ? `Partial<${table}>` : table
    return mode === 'result' ? whole : `Readonly<${whole}>`
  }
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape).map(([key, member]) => memberOf(key, member, mode))
    const line = `{ ${members.join('; ')} }`
    return line.length < MAX_WIDTH ? line : `{\n    ${members.join('\n    ')}\n  }`
  }
  if (schema instanceof z.ZodEnum)
    return ENUM_NAMES.get(schema.options.join()) ?? literals(schema.options)
  if (schema instanceof z.ZodLiteral) return literals([...schema.values])
  if (schema instanceof z.ZodNumber) return 'number'
  if (schema instanceof z.ZodBoolean) return 'boolean'
  if (schema instanceof z.ZodUnknown) return 'unknown'
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return 'string'
  throw new Error(`a schema of ${schema._zod.def.type} has no type in the library yet`)
}

const literals = (values: readonly unknown[]) =>
  values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' | ')

/** The description of a schema as a sentence. */
function aboutOf(schema: Schema): string | undefined {
  const text = z.globalRegistry.get(schema)?.description
  const inner = innerOf(schema)
  if (text === undefined) return inner && aboutOf(inner)
  return text.endsWith('.') ? text : `${text}.`
}

/**
 * A schema without its wrappers: optional, nullable, readonly, lazy, and what runs before or after
 * it.
 */
function bare(schema: Schema): Schema {
  const inner = innerOf(schema)
  return inner ? bare(inner) : schema
}

function innerOf(schema: Schema): Schema | undefined {
  if (schema instanceof z.ZodPipe)
    return schema.in instanceof z.ZodTransform ? schema.out : schema.in
  const isWrapper = [z.ZodOptional, z.ZodNullable, z.ZodReadonly, z.ZodLazy].some(
    (kind) => schema instanceof kind,
  )
  return isWrapper && 'unwrap' in schema && typeof schema.unwrap === 'function'
    ? schema.unwrap()
    : undefined
}

/** The members of an object. */
function shapeOf(schema: Schema): Readonly<Record<string, Schema>> {
  const object = bare(schema)
  if (object instanceof z.ZodObject) return object.shape
  throw new Error(`a schema of ${object._zod.def.type} has no members`)
}

/** The object below a path of members, also within lists and records. */
function at(schema: Schema, ...[member, ...deeper]: readonly string[]): Schema {
  const one = bare(schema)
  if (one instanceof z.ZodArray)
    return at(one.element, ...(member === undefined ? [] : [member, ...deeper]))
  if (one instanceof z.ZodRecord)
    return at(one.valueType, ...(member === undefined ? [] : [member, ...deeper]))
  return member === undefined ? one : at(shapeOf(one)[member] ?? z.never(), ...deeper)
}
