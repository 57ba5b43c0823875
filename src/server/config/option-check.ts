import * as z from 'zod'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { readingsChangeSchema } from '../../sandbox/readings/readings.ts'
import { TENANT_VALUES } from '../../sandbox/tenants/shared-parts.ts'
import { camelCase, snakeCase } from '../../service/text/camel-case.ts'
import { checkAgainst, problemLines } from '../../service/text/schema-problems.ts'
import { SETTINGS } from './settings.ts'

const { log: _log, ...OPTIONS } = SETTINGS
const callback = z.custom((value) => typeof value === 'function', { error: 'expected a function' })

/**
 * Creates the check for the options of `createSandbox`. It is as strict as the check of the config
 * file, because not every caller uses TypeScript. The check throws a ConfigError of one line with
 * all problems, each with the name of its option.
 * @param callbacks the options that are not settings
 */
export function createOptionCheck(callbacks: readonly string[]): (options: object) => void {
  const settings = Object.entries(OPTIONS).map(([name, { schema }]) => [name, optionSchema(schema)])
  const others = callbacks.map((name) => [name, callback])
  const schema = z.strictObject(Object.fromEntries([...settings, ...others])).partial()
  return (options) => check('createSandbox', schema, options)
}

const connectSchema = z.strictObject({ controlToken: SETTINGS.controlToken.schema }).partial()

/**
 * Checks the arguments of `connectSandbox`.
 * @throws ConfigError with one line
 */
export function checkConnection(url: string, options: object): void {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw ConfigError.of(
      `connectSandbox: ${JSON.stringify(url)} is not a URL like http://localhost:2435`,
    )
  }
  check('connectSandbox', connectSchema, options)
}

const { clients, lifetimes } = SETTINGS
const values = Object.entries(SETTINGS).filter(([name]) => snakeCase(name) in TENANT_VALUES)
const tenantChangeSchema = z
  .strictObject({
    persona: z.string().nullable(),
    outcome: z.string().nullable(),
    clients: optionSchema(clients.schema),
    lifetimes: optionSchema(lifetimes.schema),
    ...Object.fromEntries(values.map(([name, { schema }]) => [name, schema])),
    // Only the names are checked here. The sandbox checks the readings, because some exclude
    // readings that are already set.
    readings: readingsChangeSchema.nullable(),
  })
  .partial()

/**
 * Checks the argument of `configure`.
 * @throws ConfigError with one line
 */
export function checkTenantChange(change: object): void {
  check('configure', tenantChangeSchema, change)
}

function check(caller: string, schema: z.ZodType, options: unknown): void {
  const checked = checkAgainst(schema, options)
  if (checked.kind === 'invalid')
    throw ConfigError.of(`${caller}: ${problemLines(checked, 'options').join('; ')}`)
}

/**
 * Derives the schema of an option from the schema of a setting: members in camelCase, and no single
 * text in place of a list.
 */
function optionSchema(schema: z.core.$ZodType): z.core.$ZodType {
  // The schema of a counted list is a pipe that begins with the count.
  if (schema instanceof z.ZodPipe)
    return optionSchema(schema.in instanceof z.ZodTransform ? schema.out : schema.in)
  if (schema instanceof z.ZodOptional) return z.optional(optionSchema(schema.unwrap()))
  if (schema instanceof z.ZodArray) return z.array(optionSchema(schema.element))
  if (schema instanceof z.ZodUnion)
    return schema.options.find((option) => option instanceof z.ZodArray) ?? schema
  if (!(schema instanceof z.ZodObject)) return schema
  return z.strictObject(
    Object.fromEntries(
      Object.entries(schema.shape).map(([name, member]) => [camelCase(name), optionSchema(member)]),
    ),
  )
}
