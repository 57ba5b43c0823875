import type { IdTokenClaims } from '../../../oidc/seams.ts'

/** The requested thresholds with their answers, in the order of the request. */
export const answers = ({ age_thresholds: map }: IdTokenClaims): [threshold: string, answer: boolean][] =>
  typeof map === 'object' && map !== null
    ? Object.entries(map).map(([threshold, answer]): [string, boolean] => [threshold, answer === true])
    : []

/** Each answer the other way round. */
export const inverted = (claims: IdTokenClaims): Record<string, boolean> =>
  Object.fromEntries(answers(claims).map(([threshold, answer]) => [threshold, !answer]))
