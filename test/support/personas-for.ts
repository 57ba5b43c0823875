import type { Bait, Outcome } from '../../src/sandbox/outcomes/outcome.ts'

const PERSONAS: Readonly<Record<Bait, readonly string[]>> = {
  adult: ['adult-passport'],
  minor: ['child-12'],
  both: ['adult-passport', 'child-12'],
}

/** The personas for whom an app that reads the answer carelessly says yes: any other one hides the fault. */
export const personasFor = ({ bait }: Pick<Outcome, 'bait'>): readonly string[] => PERSONAS[bait]
