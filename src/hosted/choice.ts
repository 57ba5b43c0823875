import type { Wish } from '../sandbox/decision/decide.ts'
import type { HostedForm } from './form.ts'

/** What the user chose: a persona by its button or by its name, an outcome, or both. */
export const readChoice = ({ field }: HostedForm): Wish => ({
  persona: field('persona') ?? field('with_persona'),
  outcome: field('outcome'),
  source: 'choice',
})
