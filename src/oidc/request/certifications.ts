import type { AssuranceLevel } from '../../age/assurance.ts'
import type { Method } from '../../age/methods.ts'

/** The ISO 27566-1 level that a provider of age signals is certified for, by provenance and method. */
export type Certifications = Readonly<Record<string, Readonly<Partial<Record<Method, AssuranceLevel>>>>>

/** The level of a submitted age signal; `undefined`: it is not certified. */
export function certifiedLevel(
  certifications: Certifications,
  signal: { readonly provenance: string; readonly method: Method },
): AssuranceLevel | undefined {
  return Object.hasOwn(certifications, signal.provenance)
    ? certifications[signal.provenance]?.[signal.method]
    : undefined
}
