import { isJsonObject } from '../../age/json-object.ts'
import type { ServerCall } from '../../oidc/endpoints.ts'
import { Findings } from '../../oidc/rules/findings.ts'
import type { RuleId } from '../../oidc/rules/rules.ts'
import { type Family, SAID } from './families.ts'
import type { Apply, ClientCheck, ServerReply } from './outcome.ts'
import type { OutcomeRow, OwnColumns, RowAt } from './outcome-row.ts'

type ReplyRow = Omit<RowAt<'reply'>, 'apply'> & { readonly apply: Apply<'reply'> }

/** Makes a row of a call that the service carries out and whose good reply is changed. */
export const changedReply =
  (flow: ServerCall) =>
  (name: string, row: ReplyRow): OutcomeRow => ({
    name: `${flow}.${name}`,
    flow,
    seam: 'reply',
    ...(row.family === 'failure' && {
      refs: [SUCCESS[flow], ...(breaksBodyAlone(row) ? [] : ['RFC 9110 section 15'])],
    }),
    ...row,
  })

/** What is lost without a discovery document or a key set. */
export const NO_DOCUMENT = 'A token is accepted without a key that verifies it, or every user is locked out.'

/** The status means success. */
const breaksBodyAlone = ({ breaks = [] }: ReplyRow) => breaks.join() === 'body'

/** How the specification defines success of a call; another reply is none. */
const SUCCESS: Readonly<Record<ServerCall, string>> = {
  par: SAID.parSuccess,
  token: SAID.tokenSuccess,
  upgrade: SAID.upgradeSuccess,
  discovery: 'OpenID Connect Discovery 1.0 section 4.2',
  jwks: 'RFC 7517 section 5',
}

/** Makes a row of a call that the service does not carry out: it sends only this reply. */
export const replyInstead =
  (flow: ServerCall) =>
  (name: string, row: ReplyRow): OutcomeRow => ({ ...changedReply(flow)(name, row), instead: true })

type Members = Readonly<Record<string, unknown>>

/** Makes rows of changed replies that share family and rule. `change` returns the members to replace; `undefined` removes a member. */
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

/** What a reply lacks when its JSON is the body of an error. */
export const LACKING: Readonly<Record<ServerCall, readonly ClientCheck[]>> = {
  par: ['request_uri'],
  token: ['access_token', 'token_type'],
  upgrade: ['ok'],
  discovery: ['issuer', 'jwks_uri', 'authorization_endpoint'],
  jwks: ['keys'],
}

/**
 * Makes rows of calls that the service refuses by one of its rules, with its usual message, whatever was sent. `more` is added to the
 * rule of the row.
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
    replyInstead(flow)(name, {
      family: 'failure',
      breaks: ['status', ...LACKING[flow]],
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

export const withJson = (reply: ServerReply, value: unknown): ServerReply => ({
  ...reply,
  // A reading may have replaced the JSON by text.
  headers: { ...reply.headers, 'Content-Type': 'application/json; charset=utf-8' },
  body: { kind: 'json', value },
})

/** Replaces the body by text, which need not match the Content-Type. */
export const withText = (reply: ServerReply, text: string): ServerReply => ({ ...reply, body: { kind: 'text', text } })

export const withoutBody = (reply: ServerReply): ServerReply => ({ ...reply, body: { kind: 'empty' } })

export const withHeaders = (reply: ServerReply, headers: Readonly<Record<string, string>>): ServerReply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
})

/** Replaces members of the JSON body; `undefined` removes a member. */
export const withMembers = (reply: ServerReply, change: Readonly<Record<string, unknown>>): ServerReply =>
  withJson(reply, { ...bodyOf(reply), ...change })

/** The JSON object of a reply; empty for any other body. */
export function bodyOf({ body }: ServerReply): Readonly<Record<string, unknown>> {
  return body.kind === 'json' && isJsonObject(body.value) ? body.value : {}
}

export const IGNORE_KEYS = 'Ignore keys and members that are not understood (RFC 7517 section 5).'

/** The keys of a key set. */
export function keysOfReply(reply: ServerReply): Readonly<Record<string, unknown>>[] {
  const { keys } = bodyOf(reply)
  return Array.isArray(keys) ? keys.map((key: object) => ({ ...key })) : []
}
