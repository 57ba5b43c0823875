import { parseJson } from '../../oidc/request/json.ts'
import { Findings } from '../../oidc/rules/findings.ts'
import type { RuleId } from '../../oidc/rules/rules.ts'
import type { Outcome, OutcomeFlow } from './outcome.ts'
import type { ServerReply } from './server-reply.ts'
import type { TamperTools } from './tamper-tools.ts'

/** The flows that are server-to-server calls. */
export type ServerFlow = Exclude<OutcomeFlow, 'use' | 'create'>

type ReplyRow = Omit<
  Extract<Outcome, { seam: 'reply' }>,
  'name' | 'flow' | 'seam' | 'correctClient' | 'instead' | 'apply'
> &
  Partial<Pick<Outcome, 'correctClient'>> & {
    apply(reply: ServerReply, tools: TamperTools): ServerReply | Promise<ServerReply>
  }

/** A call that the service carries out, and whose good reply is changed. To be refused, unless the row says otherwise. */
export const changedReply = (flow: ServerFlow, name: string, row: ReplyRow): Outcome => ({
  name: `${flow}.${name}`,
  flow,
  seam: 'reply',
  correctClient: 'refuse',
  ...row,
})

/** A call that the service does not carry out: the reply stands in its place. */
export const replyInstead = (flow: ServerFlow, name: string, row: ReplyRow): Outcome => ({
  ...changedReply(flow, name, row),
  instead: true,
})

/** A call that the service refuses by one of its rules, whatever was sent: with the words that it has for the case. */
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
    return { ...withBody(reply, JSON.stringify(body)), status, headers: { ...reply.headers, ...headers } }
  }
}

export const withBody = (reply: ServerReply, body: string): ServerReply => ({ ...reply, body })

export const withHeaders = (reply: ServerReply, headers: Readonly<Record<string, string>>): ServerReply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
})

/** With members of the JSON body replaced; `undefined` removes one. */
export const withMembers = (reply: ServerReply, change: Readonly<Record<string, unknown>>): ServerReply =>
  withBody(reply, JSON.stringify({ ...bodyOf(reply), ...change }))

/** The JSON object of a reply; empty when it is none. */
export function bodyOf(reply: ServerReply): Readonly<Record<string, unknown>> {
  const json = parseJson(reply.body)
  return json.ok && typeof json.value === 'object' && json.value !== null ? { ...json.value } : {}
}
