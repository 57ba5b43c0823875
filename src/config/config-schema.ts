import * as z from 'zod'
import { ASSURANCE_LEVELS } from '../age/assurance.ts'
import { METHOD_NAMES } from '../age/methods.ts'
import { PROVENANCE_PATH } from '../age/provenance.ts'
import { PROFILES } from '../oidc/profile.ts'
import { proxyProblem } from '../sandbox/addresses/trusted-proxy.ts'
import {
  basePathProblem,
  baseUrlProblem,
  internalUrlProblem,
  normalizeBaseUrl,
} from '../sandbox/addresses/web-address.ts'
import { clientSchema, printableAscii } from '../sandbox/clients/client-schema.ts'
import { BUILTIN_CLIENT } from '../sandbox/clients/clients.ts'
import type { SigningAlgorithm } from '../sandbox/keys/signing-keys.ts'
import { storeAddressProblem } from '../store/redis-address.ts'

/** How the command line reports: for people, for programs, not at all. */
export const LOG_MODES = ['pretty', 'json', 'silent'] as const
export type LogMode = (typeof LOG_MODES)[number]

/** A schema's message: the value, and what it should have been. */
const isNot = (expected: string) => (issue: { readonly input?: unknown }) =>
  issue.input === undefined
    ? `is missing; expected ${expected}`
    : `${typeof issue.input === 'string' ? JSON.stringify(issue.input) : String(issue.input)} is not ${expected}`

const wholeNumber = (expected: string, { from, to }: { from: number; to: number }) => {
  const error = isNot(expected)
  return z.int({ error }).gte(from, { error }).lte(to, { error })
}

const nonEmpty = z.string().min(1)
const seconds = wholeNumber('a whole number of seconds from 1 up', { from: 1, to: Number.MAX_SAFE_INTEGER })
const provenance = z
  .string()
  .regex(PROVENANCE_PATH, { error: isNot('a path like /provider or /provider/sub_provider') })

const baseUrl = z.string().check(reportProblem(baseUrlProblem)).transform(normalizeBaseUrl)
const internalUrl = z.string().check(reportProblem(internalUrlProblem)).transform(normalizeBaseUrl)
const basePath = z.string().check(reportProblem(basePathProblem))

const listOrOne = <Schema extends z.ZodType>(item: Schema) =>
  z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(item))
const proxies = listOrOne(z.string().check(reportProblem(proxyProblem)))
const yesOrNo = z.boolean({ error: isNot('true or false') })

const level = z.enum(ASSURANCE_LEVELS)

/**
 * Everything that can be settled, by its name in the config file. Flags and environment variables give some of the same
 * settings and are checked by the same schema.
 */
export const configSchema = z
  .strictObject({
    port: wholeNumber('a port (0 to 65535)', { from: 0, to: 65_535 }),
    host: nonEmpty,
    base_url: baseUrl,
    base_path: basePath,
    internal_url: internalUrl,
    trust_host: yesOrNo,
    trust_proxy: proxies,
    https: yesOrNo,
    https_cert: nonEmpty,
    https_key: nonEmpty,
    profile: z.enum(PROFILES),
    signing_alg: z.enum(['RS256', 'ES256'] satisfies SigningAlgorithm[]),
    clients: z.array(clientSchema),
    builtin_client: z.boolean(),
    provenance_allowlist: z.array(provenance),
    platforms: z.array(nonEmpty),
    certifications: z.record(provenance, z.partialRecord(z.enum(METHOD_NAMES), level)),
    lifetimes: z
      .strictObject({ request_uri: seconds, code: seconds, id_token: seconds, access_token: seconds })
      .partial(),
    personas: z.union([nonEmpty, z.array(nonEmpty)]),
    persona: nonEmpty,
    outcome: nonEmpty,
    seed: wholeNumber('a whole number', { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }),
    log: z.enum(LOG_MODES),
    state_dir: nonEmpty,
    keys: nonEmpty,
    store: z.string().check(reportProblem(storeAddressProblem)),
    control_token: printableAscii,
  })
  .partial()
  .check(refuseTakenClientIds)

export type ConfigValues = z.output<typeof configSchema>

function reportProblem(problemOf: (text: string) => string | undefined): z.core.CheckFn<string> {
  return ({ value, issues }) => {
    const message = problemOf(value)
    if (message !== undefined) issues.push({ code: 'custom', message, input: value })
  }
}

function refuseTakenClientIds({
  value: { clients = [], builtin_client },
  issues,
}: z.core.ParsePayload<{
  clients?: { client_id: string }[] | undefined
  builtin_client?: boolean | undefined
}>): void {
  const taken = new Set<string>()
  for (const [index, { client_id }] of clients.entries()) {
    const path = ['clients', index, 'client_id']
    if (client_id === BUILTIN_CLIENT.clientId && builtin_client !== false) {
      const message = `"${client_id}" is the built-in client; choose another id or set builtin_client: false`
      issues.push({ code: 'custom', path, message, input: client_id })
    }
    if (taken.has(client_id)) {
      const message = `"${client_id}" is declared twice; give each client an id of its own`
      issues.push({ code: 'custom', path, message, input: client_id })
    }
    taken.add(client_id)
  }
}
