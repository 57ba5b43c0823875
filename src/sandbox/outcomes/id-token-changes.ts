import type { IdTokenClaims } from '../../oidc/callback.ts'
import { signCompact } from '../keys/compact-jws.ts'
import { takeApart } from '../keys/forge.ts'
import type { Family } from './families.ts'
import type { OutcomeRow, OwnColumns, RowAt } from './outcome-row.ts'
import type { TamperTools } from './tamper-tools.ts'

/** Makes a row of a Use flow that ends well, but for the claims of its id_token. */
export const changedClaims = (name: string, row: RowAt<'claims'>): OutcomeRow => ({
  ...{ name: `id_token.${name}`, flow: 'use', seam: 'claims' },
  ...row,
})

/** Makes a row of a Use flow that ends well, but for its signed id_token. */
export const changedToken = (name: string, row: RowAt<'token'>): OutcomeRow => ({
  ...{ name: `id_token.${name}`, flow: 'use', seam: 'token' },
  ...row,
})

/** Makes rows that share family and rule. `change` returns the claims to replace; `undefined` removes a claim. */
export const claimsRows =
  (family: Family, rule: string) =>
  (
    name: string,
    summary: string,
    change: IdTokenClaims | ((tools: TamperTools, claims: IdTokenClaims) => IdTokenClaims),
    columns: OwnColumns = {},
  ) =>
    changedClaims(name, {
      family,
      summary,
      rule,
      ...columns,
      apply: (claims, tools) => ({ ...claims, ...(typeof change === 'function' ? change(tools, claims) : change) }),
    })

/** Removes claims. */
export const without = (claims: IdTokenClaims, ...names: readonly string[]): IdTokenClaims =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)))

/** Signs the token again with the same key. The given members of the header are replaced; `undefined` removes a member. */
export async function withHeader(
  idToken: string,
  change: Readonly<Record<string, unknown>>,
  { keys }: TamperTools,
): Promise<string> {
  const { header, claims } = takeApart(idToken)
  return signCompact({ header: { ...header, ...change }, payload: claims }, await keys.signingKey())
}

/** Signs JSON text that no serialiser would write. */
export async function withPayloadText(idToken: string, payload: string, { keys }: TamperTools): Promise<string> {
  return signCompact({ header: takeApart(idToken).header, payload }, await keys.signingKey())
}

/** The requested thresholds with their answers, in the order of the request. */
export const answers = ({ age_thresholds: map }: IdTokenClaims): [threshold: string, answer: boolean][] =>
  typeof map === 'object' && map !== null
    ? Object.entries(map).map(([threshold, answer]): [string, boolean] => [threshold, answer === true])
    : []

/** Inverts each answer. */
export const inverted = (claims: IdTokenClaims): Record<string, boolean> =>
  Object.fromEntries(answers(claims).map(([threshold, answer]) => [threshold, !answer]))
