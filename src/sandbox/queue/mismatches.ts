import * as z from 'zod'
import { isJsonObject } from '../../age/json-object.ts'
import type { Mask } from '../clients/mask.ts'

/** One place where a request is not what a scenario expects. */
export const mismatchSchema = z.object({
  path: z.string().describe('`claims.age_thresholds[0]`'),
  expected: z.string().describe('A short JSON text'),
  came: z.string().describe('A short JSON text; `nothing` when the request did not send it'),
})

export type Mismatch = z.infer<typeof mismatchSchema>

/**
 * Where `came` does not contain `expected`: of an object the named members must fit, of a list each item must fit the one
 * at its index (more may follow), and everything else must have the same text, so that `true` is met by `"true"`.
 * @param where.mask takes secrets out of both values
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
  // The name says that a value is a secret, whatever the value is.
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
