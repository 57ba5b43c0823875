import type { Check } from '../outcome.ts'

export const LIBRARIES = ['jose'] as const
export type Library = (typeof LIBRARIES)[number]

export function remedyFor(_check: Check, _library?: Library): { lines?: string; library?: string } {
  return {}
}
