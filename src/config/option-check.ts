import * as z from 'zod'
import { checkAgainst, formatPath } from '../files/schema-problems.ts'
import { clientSchema, printableAscii } from '../sandbox/clients/client-schema.ts'
import type { SandboxOptions } from '../server/create-sandbox.ts'
import { ConfigError } from './config-error.ts'
import { type ConfigValues, configSchema } from './config-schema.ts'

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

const callback = z.custom((value) => typeof value === 'function', { error: 'expected a function' })

/** Options that are no settings of the config file. */
const OWN = {
  onCall: callback,
  onError: callback,
  onWarning: callback,
} satisfies Record<Exclude<keyof SandboxOptions, CamelCase<keyof ConfigValues>>, z.ZodType>

const { log: _log, clients: _clients, lifetimes, personas, trust_proxy, ...settings } = configSchema.shape

/** The config file may give one text in place of a list. */
const list = z.any().refine(Array.isArray, { error: 'expected a list', abort: true })

const optionsSchema = z
  .strictObject({
    ...camelCased(settings),
    ...OWN,
    clients: z.array(z.strictObject(camelCased(clientSchema.shape))),
    lifetimes: z.strictObject(camelCased(lifetimes.unwrap().shape)),
    personas: list.pipe(personas),
    trustProxy: list.pipe(trust_proxy),
  })
  .partial()

/**
 * Checks what a caller of the library gives, as strictly as the config file: the compiler does not see every caller.
 * @throws ConfigError: one line with every problem, each led by the name of the option
 */
export function checkOptions(options: SandboxOptions): void {
  check('createSandbox', optionsSchema, options)
}

const connectSchema = z.strictObject({ controlToken: printableAscii }).partial()

/** Checks the same for a sandbox in another process. @throws ConfigError */
export function checkConnection(url: string, options: object): void {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new ConfigError(`connectSandbox: ${JSON.stringify(url)} is not a URL like http://localhost:2435`)
  }
  check('connectSandbox', connectSchema, options)
}

function check(caller: string, schema: z.ZodType, options: unknown): void {
  const checked = checkAgainst(schema, options)
  if (checked.kind === 'valid') return
  const problems = checked.problems.map(({ path, message }) => `${formatPath(path) || 'options'}: ${message}`)
  throw new ConfigError(`${caller}: ${problems.join('; ')}`)
}

/** Schemas under the names that the library uses: `base_url` becomes `baseUrl`. */
function camelCased(shape: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> {
  const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [camelCase(name), schema]))
}
