import type { IdTokenClaims } from '../../service/oidc/callback.ts'
import { endpointOf, replyOf, type ServerCall } from '../../service/oidc/endpoints.ts'
import { Findings } from '../../service/oidc/rules/findings.ts'
import type { RuleId } from '../../service/oidc/rules/rules.ts'
import { withHeaders, withJson, withMembers } from './answer-changes.ts'
import { type Family, familyOf } from './families.ts'
import type { AnySeamChange, Apply, AuditRow, Need, Outcome, Seam, ServerReply } from './outcome.ts'
import type { TamperTools } from './tamper-tools.ts'

/** The columns that every row states itself. */
type Stated = 'name' | 'flow' | 'summary' | 'rule' | 'instead'

/** Columns in which a row differs from its family. */
export type OwnColumns = Partial<Omit<AuditRow, Stated | 'family' | 'prelude'>>

/** A row as written in its table: its family, and the columns that differ from the family. */
export type OutcomeRow = Pick<AuditRow, Stated> & { readonly family: Family } & OwnColumns &
  AnySeamChange

/** A row of one seam without the columns that the `changed…` functions add. */
export type RowAt<S extends Seam> = Omit<
  Extract<OutcomeRow, { seam: S }>,
  'name' | 'flow' | 'seam' | 'family'
>

/** Makes a row of a successful Use flow with changed claims in its id_token. */
export const changedClaims = (name: string, family: Family, row: RowAt<'claims'>): OutcomeRow => ({
  name: `id_token.${name}`,
  flow: 'use',
  seam: 'claims',
  family,
  ...row,
})

/** Makes a row of a successful Use flow with a changed id_token. */
export const changedToken = (name: string, family: Family, row: RowAt<'token'>): OutcomeRow => ({
  name: `id_token.${name}`,
  flow: 'use',
  seam: 'token',
  family,
  ...row,
})

/** Makes a row with a changed callback. */
export const changedCallback =
  (flow: 'use' | 'create') =>
  (name: string, family: Family, row: RowAt<'callback'>): OutcomeRow => ({
    name: `callback.${name}`,
    flow,
    seam: 'callback',
    family,
    ...row,
  })

type ReplyRow = RowAt<'reply'> & { readonly apply: Apply<'reply'> }

/** Makes a row of a call that the service carries out and whose successful reply is changed. */
export const changedReply =
  (flow: ServerCall) =>
  (name: string, family: Family, row: ReplyRow): OutcomeRow => ({
    name: `${flow}.${name}`,
    flow,
    seam: 'reply',
    family,
    // If only the body is wrong, the status is that of a success, and RFC 9110 is not the source.
    ...(family === 'failure' && {
      refs: [
        replyOf(flow).source,
        ...(row.breaks?.join() === 'body' ? [] : ['RFC 9110 section 15']),
      ],
    }),
    ...row,
  })

/**
 * Makes the row of a call that is answered with the body of a success and the status of a failure.
 */
export const successUnderStatus = (
  flow: 'par' | 'token' | 'upgrade',
  status: number,
  row: Readonly<Record<'summary' | 'rule', string>>,
): OutcomeRow =>
  changedReply(flow)(`status_${status}_right_body`, 'failure', {
    refs: ['RFC 9110 section 15'],
    since: '0.2',
    breaks: ['status'],
    ...row,
    apply: (reply) => ({ ...reply, status }),
  })

/** Makes a row of a call that the service does not carry out: it only sends this reply. */
export const replyInstead =
  (flow: ServerCall) =>
  (name: string, family: Family, row: ReplyRow): OutcomeRow =>
    changedReply(flow)(name, family, { ...row, instead: true })

/** Makes a function that makes rows with a common family and rule. */
export const rowsUnder =
  <Apply>(
    make: (
      name: string,
      family: Family,
      row: OwnColumns & { summary: string; rule: string; apply: Apply },
    ) => OutcomeRow,
    family: Family,
    rule: string,
  ) =>
  (name: string, summary: string, apply: Apply, columns: OwnColumns = {}): OutcomeRow =>
    make(name, family, { summary, rule, apply, ...columns })

/**
 * Makes rows with a common family and rule. The changes replace claims; `undefined` removes a
 * claim.
 */
export const claimsRows = (family: Family, rule: string) =>
  rowsUnder<IdTokenClaims | ((tools: TamperTools, claims: IdTokenClaims) => IdTokenClaims)>(
    (name, of, { apply: change, ...row }) =>
      changedClaims(name, of, {
        ...row,
        apply: (claims, tools) => ({
          ...claims,
          ...(typeof change === 'function' ? change(tools, claims) : change),
        }),
      }),
    family,
    rule,
  )

type Members = Readonly<Record<string, unknown>>

/**
 * Makes rows of changed replies with a common family and rule. The changes replace members;
 * `undefined` removes a member.
 */
export const membersRows = (flow: ServerCall, family: Family, rule: string) =>
  rowsUnder<Members | ((reply: ServerReply) => Members)>(
    (name, of, { apply: change, ...row }) =>
      changedReply(flow)(name, of, {
        ...row,
        apply: (reply) => withMembers(reply, typeof change === 'function' ? change(reply) : change),
      }),
    family,
    rule,
  )

/** The harm of a missing discovery document or key set. */
export const NO_DOCUMENT =
  'A token is accepted without a key that verifies it, or every user is locked out.'

/**
 * Makes rows of calls that the service refuses by one of its rules, whatever was sent.
 * @param more a sentence to append to the rule of the row
 */
export const refusedCalls =
  (flow: ServerCall, rule: string) =>
  (
    name: string,
    summary: string,
    by: RuleId,
    {
      headers = {},
      more,
      ...found
    }: Parameters<Findings['add']>[1] & { headers?: Record<string, string>; more?: string },
  ) =>
    replyInstead(flow)(name, 'failure', {
      breaks: ['status', ...replyOf(flow).members],
      summary,
      rule: more === undefined ? rule : `${rule} ${more}`,
      apply(reply, { provider }) {
        const findings = new Findings(provider.profile)
        findings.add(by, found)
        const { code, status, message } = findings.toRefusal()
        const body = { error: code, error_description: message, findings: findings.all }
        return { ...withHeaders(withJson(reply, body), headers), status }
      },
    })

/** Completes a row: the columns of its family, the defaults, then its own columns. */
export function completeRow(row: OutcomeRow): Outcome {
  const usual: Pick<AuditRow, 'correctClient' | 'twin' | 'since'> = {
    correctClient: row.family === 'ending' || row.family === 'control' ? 'accept' : 'refuse',
    twin: twinOf(row),
    since: '0.1',
  }
  const level = row.correctClient === 'depends' && { level: 'may' as const }
  const prelude = row.needs?.includes('earlier_flow') && { prelude: 'earlier_flow' as const }
  // Each start makes 300 rows. Object literals with spreads would take four times as long.
  return Object.assign({}, familyOf(row.family), usual, level, prelude, row, needsOf(row))
}

/** The successful ending of each flow. */
const GOOD_ENDINGS = {
  use: 'use/verified',
  create: 'create/created',
  upgrade: 'use/code_issued',
} as const

function twinOf({ flow, ending }: OutcomeRow): string {
  if (ending?.kind === 'create_requested') return 'use/create_requested'
  return ending?.kind === 'verified' && ending.allFalse
    ? 'use/code_issued'
    : GOOD_ENDINGS[endpointOf(flow).flow ?? 'use']
}

/** Adds the need `age_key` to rows that change a verified answer or need a code. */
function needsOf({ flow, apply, ending, needs }: OutcomeRow): { needs?: readonly Need[] } {
  const isOfGoodAnswer =
    (flow === 'use' && apply && ending === undefined) ||
    (ending?.kind === 'verified' && ending.allFalse)
  return isOfGoodAnswer ? { needs: [...(needs ?? []), 'age_key'] } : {}
}
