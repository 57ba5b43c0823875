import * as z from 'zod'
import { isJsonObject } from '../../age/json-object.ts'
import type { Mask } from '../clients/mask.ts'

/** One member of a request that differs from what the scenario expects. */
export const mismatchSchema = z.object({
  path: z.string().describe('`claims.age_thresholds[0]`'),
  expected: z.string().describe('A short JSON text'),
  came: z.string().describe('A short JSON text; `nothing` when the request did not send it'),
})

export type Mismatch = z.infer<typeof mismatchSchema>

/**
 * Compares `came` with `expected`. An object must have the named members, a list must begin with the given items, and any other value
 * must have the same text: `"true"` meets `true`.
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
    return expected.flatMap((item, index) => findMismatches(item, came[index], { path: `${path}[${index}]`, mask }))
  }
  if (isScalar(expected) && isScalar(came) && String(expected) === String(came)) return []
  // A member whose name says that its value is a secret.
  const name = path.slice(path.lastIndexOf('.') + 1)
  const shownAt = (value: unknown) => shown(Object.values(mask({ [name]: value }))[0])
  return [{ path, expected: shownAt(expected), came: shownAt(came) }]
}

/** `can_create: expected "true", came nothing` */
export const describeMismatch = ({ path, expected, came }: Mismatch) => `${path}: expected ${expected}, came ${came}`

const isScalar = (value: unknown) => value !== undefined && (typeof value !== 'object' || value === null)

const memberPath = (path: string, key: string) => (path === '' ? key : `${path}.${key}`)

const MAX_SHOWN = 200

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text
}
