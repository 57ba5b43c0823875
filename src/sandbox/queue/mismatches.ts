import * as z from 'zod'
import { isJsonObject } from '../../service/age/json-object.ts'
import { parseJson } from '../../service/oidc/request/json.ts'
import type { Mask } from '../clients/mask.ts'

/** One member of a request that differs from what the scenario expects. */
const mismatchSchema = z.object({
  path: z.string().describe('`claims.age_thresholds[0]`'),
  expected: z.string().describe('A short JSON text'),
  came: z.string().describe('A short JSON text; `nothing` when the request did not send it'),
})

type Mismatch = z.infer<typeof mismatchSchema>

/** Why a step failed, or what did not meet the current step. */
export const explanationSchema = z.object({
  detail: z
    .string()
    .optional()
    .describe('Why it failed or, while it is current, what came that did not meet it'),
  mismatches: z
    .array(mismatchSchema)
    .optional()
    .describe('What was expected and what came; only of a step that failed by its `expect`'),
})

export type Explanation = z.infer<typeof explanationSchema>

/** Parameters that carry JSON text. */
const JSON_PARAMETERS = ['claims', 'authorization_details']

/**
 * What was sent, with the values of parameters that carry JSON text parsed; text that is not JSON
 * stays as it is.
 */
export const parsedParameters = (
  parameters: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      if (typeof value !== 'string' || !JSON_PARAMETERS.includes(name)) return [name, value]
      const json = parseJson(value)
      return [name, json.ok ? json.value : value]
    }),
  )

/**
 * Compares `came` with `expected`. An object must have the named members, a list must begin with
 * the given items, and any other value must have the same text: `"true"` meets `true`.
 * @param where.mask removes secrets from both values
 */
export function findMismatches(
  expected: unknown,
  came: unknown,
  { path = '', mask }: { path?: string; mask: Mask },
): Mismatch[] {
  if (isJsonObject(expected) && isJsonObject(came)) {
    return Object.keys(expected).flatMap((key) =>
      findMismatches(expected[key], Object.hasOwn(came, key) ? came[key] : undefined, {
        path: memberPath(path, key),
        mask,
      }),
    )
  }
  if (Array.isArray(expected) && Array.isArray(came)) {
    return expected.flatMap((item, index) =>
      findMismatches(item, came[index], { path: `${path}[${index}]`, mask }),
    )
  }
  if (isScalar(expected) && isScalar(came) && String(expected) === String(came)) return []
  // A member whose name says that its value is a secret.
  const name = path.slice(path.lastIndexOf('.') + 1)
  const shownAt = (value: unknown) => shown(Object.values(mask({ [name]: value }))[0])
  return [{ path, expected: shownAt(expected), came: shownAt(came) }]
}

/** `can_create: expected "true", came nothing` */
export const describeMismatch = ({ path, expected, came }: Mismatch) =>
  `${path}: expected ${expected}, came ${came}`

const isScalar = (value: unknown) =>
  value !== undefined && (typeof value !== 'object' || value === null)

const memberPath = (path: string, key: string) => (path === '' ? key : `${path}.${key}`)

const MAX_SHOWN = 200

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text
}
