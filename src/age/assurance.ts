/** ISO 27566-1 levels of effectiveness, from the lowest to the highest. */
export const ASSURANCE_LEVELS = ['basic', 'effective', 'highly_effective', 'strict'] as const

export type AssuranceLevel = (typeof ASSURANCE_LEVELS)[number]

/** Whether a certified level is at least the required one. Without certification (`undefined`) none is reached, not even `basic`. */
export function reaches(level: AssuranceLevel | undefined, required: AssuranceLevel): boolean {
  return ASSURANCE_LEVELS.slice(ASSURANCE_LEVELS.indexOf(required)).some((enough) => enough === level)
}
