import * as z from 'zod'
import { isJsonObject } from '../../service/age/json-object.ts'
import { parseJson } from '../../service/oidc/request/json.ts'
import type { Mask } from '../clients/mask.ts'

/** A member of a request that differs from the `expect` of a step. */
const mismatchSchema = z.object({
  path: z.string().describe('`claims.age_thresholds[0]`'),
  expected: z.string().describe('A short JSON text'),
  came: z.string().describe('A short JSON text; `nothing` when the request did not send it'),
})

type Mismatch = z.infer<typeof mismatchSchema>

/** Why a step failed, or why a request did not meet the current step. */
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

/** Parameters that hold JSON text. */
const JSON_PARAMETERS = ['claims', 'authorization_details']

/** The sent parameters, with JSON text parsed. Text that is not JSON is kept. */
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
 * Compares `came` with `expected`. An object must have the expected members, a list must begin with
 * the expected items, and other values must have the same text: `"true"` equals `true`.
 * @param where.mask removes secrets from the reported values
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
  // The mask recognises a secret by the name of its member.
  const name = path.slice(path.lastIndexOf('.') + 1)
  const shownAt = (value: unknown) => shown(Object.values(mask({ [name]: value }))[0])
  return [{ path, expected: shownAt(expected), came: shownAt(came) }]
}

/** Describes a mismatch: `can_create: expected "true", came nothing`. */
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
