import type { Bait, Outcome } from '../../src/sandbox/outcomes/outcome.ts'

const [ADULT, CHILD] = ['adult-passport', 'child-12']
const PERSONAS: Readonly<Record<Bait, readonly string[]>> = {
  adult: [ADULT],
  minor: [CHILD],
  both: [ADULT, CHILD],
}

/**
 * The personas that a careless app lets in when the answer is changed by this row. Any other
 * persona would hide the fault.
 */
export const personasFor = ({ bait }: Pick<Outcome, 'bait'>): readonly string[] => PERSONAS[bait]
