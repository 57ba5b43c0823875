import { isJsonObject } from '../../age/json-object.ts'
import type { ServerCall } from '../../oidc/endpoints.ts'
import { Findings } from '../../oidc/rules/findings.ts'
import type { RuleId } from '../../oidc/rules/rules.ts'
import { SAID } from './families/citations.ts'
import type { Outcome } from './outcome.ts'
import type { Family, OutcomeRow, OwnColumns } from './outcome-row.ts'
import type { ServerReply } from './server-reply.ts'
import type { TamperTools } from './tamper-tools.ts'

/** The flows that are server-to-server calls. */
export type ServerFlow = ServerCall

type ReplyRow = Omit<
  Extract<OutcomeRow, { seam: 'reply' }>,
  'name' | 'flow' | 'seam' | 'correctClient' | 'instead' | 'apply'
> &
  Partial<Pick<Outcome, 'correctClient'>> & {
    apply(reply: ServerReply, tools: TamperTools): ServerReply | Promise<ServerReply>
  }

/** A call that the service carries out, and whose good reply is changed. To be refused, unless the row says otherwise. */
export const changedReply =
  (flow: ServerFlow) =>
  (name: string, row: ReplyRow): OutcomeRow => ({
    name: `${flow}.${name}`,
    flow,
    seam: 'reply',
    correctClient: 'refuse',
    ...(row.family === 'failure' && {
      refs: [SUCCESS[flow], ...(breaksBodyAlone(row) ? [] : ['RFC 9110 section 15'])],
    }),
    ...row,
  })

/** What is lost with a discovery document or a key set. */
export const NO_DOCUMENT = 'A token is accepted without a key that verifies it, or every user is locked out.'

/** The status is that of a success. */
const breaksBodyAlone = ({ breaks = [] }: ReplyRow) => breaks.join() === 'body'

/** What says how a call succeeds: another reply is none. */
const SUCCESS: Readonly<Record<ServerFlow, string>> = {
  par: SAID.parSuccess,
  token: SAID.tokenSuccess,
  upgrade: SAID.upgradeSuccess,
  discovery: 'OpenID Connect Discovery 1.0 section 4.2',
  jwks: 'RFC 7517 section 5',
}

/** A call that the service does not carry out: it sends only this reply. */
export const replyInstead =
  (flow: ServerFlow) =>
  (name: string, row: ReplyRow): OutcomeRow => ({
    ...changedReply(flow)(name, row),
    instead: true,
  })

type Members = Readonly<Record<string, unknown>>

/** Makes rows of changed replies that share family and rule. `change` gives the members to replace; `undefined` removes one. */
export const membersRows =
  (changed: ReturnType<typeof changedReply>, family: Family, rule: string) =>
  (name: string, summary: string, change: Members | ((reply: ServerReply) => Members), columns: OwnColumns = {}) =>
    changed(name, {
      family,
      summary,
      ...columns,
      rule,
      apply: (reply) => withMembers(reply, typeof change === 'function' ? change(reply) : change),
    })

/** A call that the service refuses by one of its rules, whatever was sent, with its usual message. */
export const refusedBy = (
  rule: RuleId,
  finding: Parameters<Findings['add']>[1] & { headers?: Readonly<Record<string, string>> },
): ReplyRow['apply'] => {
  const { headers = {}, ...found } = finding
  return (reply, { provider }) => {
    const findings = new Findings(provider.profile)
    findings.add(rule, found)
    const { code, status, message } = findings.toRefusal()
    const body = { error: code, error_description: message, findings: findings.all }
    return { ...withJson(reply, body), status, headers: { ...reply.headers, ...headers } }
  }
}

export const withJson = (reply: ServerReply, value: unknown): ServerReply => ({
  ...reply,
  // A reading may have made a text of it.
  headers: { ...reply.headers, 'Content-Type': 'application/json; charset=utf-8' },
  body: { kind: 'json', value },
})

/** With a text that need not be what its Content-Type says. */
export const withText = (reply: ServerReply, text: string): ServerReply => ({ ...reply, body: { kind: 'text', text } })

export const withoutBody = (reply: ServerReply): ServerReply => ({ ...reply, body: { kind: 'empty' } })

export const withHeaders = (reply: ServerReply, headers: Readonly<Record<string, string>>): ServerReply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
})

/** With members of the JSON body replaced; `undefined` removes one. */
export const withMembers = (reply: ServerReply, change: Readonly<Record<string, unknown>>): ServerReply =>
  withJson(reply, { ...bodyOf(reply), ...change })

/** The JSON object of a reply; empty when it is none. */
export function bodyOf({ body }: ServerReply): Readonly<Record<string, unknown>> {
  return body.kind === 'json' && isJsonObject(body.value) ? body.value : {}
}

export const IGNORE_KEYS = 'Ignore keys and members that are not understood (RFC 7517 section 5).'

/** The keys of a key set. */
export function keysOfReply(reply: ServerReply): Readonly<Record<string, unknown>>[] {
  const { keys } = bodyOf(reply)
  return Array.isArray(keys) ? keys.map((key: object) => ({ ...key })) : []
}
