import * as z from 'zod'
import { unknownName } from '../../age/nearest.ts'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { DrilledSub } from '../../client/shapes/drill.ts'
import type { Flow } from '../../client/shapes/flow.ts'
import { findOutcome } from '../../sandbox/outcomes/catalogue.ts'
import { AuditProblem } from '../audit-problem.ts'

/** Which flows a drill is about. */
export interface SubFilter {
  /** Needed when several clients received an id_token. */
  readonly clientId?: string | undefined
  /** The id of a flow: only flows that began after it. */
  readonly since?: string | undefined
  /** The age that the app lets users in from; any age when absent. */
  readonly age?: number | undefined
  /** Ids of flows whose answer the app rightly refused. */
  readonly skip?: readonly string[] | undefined
  /** Clients that are not the app: that of the demo. */
  readonly otherClients: readonly string[]
}

export type ReceivedSub = Omit<DrilledSub, 'state' | 'reason'>

/** What a sandbox holds of the verifications that an app received. */
export interface ReceivedSubs {
  /** Oldest first. */
  readonly subs: readonly ReceivedSub[]
  /** How many flows sent a changed answer. */
  readonly spoiled: number
}

/** As many as a journal keeps. */
const MAX_FLOWS = 2_000

/**
 * The `sub` of each id_token that was sent to the app unchanged. The journal knows what left the sandbox; an answer that an outcome
 * changed is left out, because no app should keep it.
 * @throws AuditProblem when there is none, or when the filter does not say of which app
 */
export async function readReceivedSubs(sandbox: SandboxApi, filter: SubFilter): Promise<ReceivedSubs> {
  const { since, clientId, age, skip = [], otherClients } = filter
  const flows = await sandbox.flows.list({ after: since, limit: MAX_FLOWS })
  const answered = flows.toReversed().flatMap((flow) => {
    const answer = flow.client_id === undefined || otherClients.includes(flow.client_id) ? undefined : answerOf(flow)
    return answer === undefined ? [] : [{ ...answer, client_id: flow.client_id ?? '', flow }]
  })
  if (answered.length === 0) throw new AuditProblem(nothingReceived(flows, since))
  const client = theClient(answered, clientId)
  const own = answered.filter((answer) => answer.client_id === client)
  const unchanged = own.filter(isUnchanged)
  const unknown = skip.find((id) => own.every(({ flow }) => flow.id !== id))
  if (unknown !== undefined)
    throw new AuditProblem(
      `skip: ${unknownName(
        'flow with a sub',
        unknown,
        own.map(({ flow }) => flow.id),
      )}`,
    )
  const asked = unchanged.filter(({ flow }) => !skip.includes(flow.id))
  if (!asked.some(({ claims }) => saysYes(claims, age))) throw new AuditProblem(nothingGranted(age))
  return {
    spoiled: own.length - unchanged.length,
    subs: asked.map(({ flow, at, claims }) => ({
      sub: claims.sub,
      flow: flow.id,
      url: `${sandbox.baseUrl}/_sandbox/console/flows/${flow.id}`,
      at,
      client_id: client,
      persona: flow.persona,
      age_thresholds: claims.age_thresholds,
      needed: saysYes(claims, age),
    })),
  }
}

// Decision: an id_token that reaches no age let no user in. Its sub is asked for, and the app may have forgotten it.
const saysYes = ({ age_thresholds: answers }: IdToken, age: number | undefined) =>
  age === undefined ? Object.values(answers).some((isMet) => isMet) : answers[age] === true

const nothingGranted = (age: number | undefined) =>
  `no id_token that your app received unchanged says yes to ${age === undefined ? 'an age' : age}, so that there is nothing to revoke: run a flow as an adult, then the drill again`

function nothingReceived(flows: readonly Flow[], since: string | undefined): string {
  const after = since === undefined ? '' : ` after ${since}`
  const seen = flows.length === 0 ? `the sandbox holds no flow${after}` : `no flow${after} ended with an id_token`
  return `${seen}: a reset and a restart of the sandbox forget its flows, and the oldest go when it holds many; run a flow of your app, then the drill again`
}

interface Answered {
  readonly client_id: string
  readonly flow: Flow
  /** ISO 8601 */
  readonly at: string
  /** Of the request; absent when the journal keeps that call no longer. */
  readonly nonce: unknown
  readonly claims: IdToken
}

/** @throws AuditProblem when several clients received an id_token and none is named, or when the named one received none */
function theClient(answered: readonly Answered[], wanted: string | undefined): string {
  const counts = new Map<string, number>()
  for (const { client_id: id } of answered) counts.set(id, (counts.get(id) ?? 0) + 1)
  const known = [...counts.keys()]
  if (wanted !== undefined && !counts.has(wanted))
    throw new AuditProblem(unknownName('client that received an id_token', wanted, known))
  const [only = ''] = known
  if (wanted === undefined && known.length > 1) {
    const each = [...counts].map(([id, count]) => `${id} (${count})`).join(', ')
    throw new AuditProblem(`id_tokens went to several clients: ${each}; say which is your app by --client, or clientId`)
  }
  return wanted ?? only
}

/** What an id_token says, as far as a drill reads it. Nothing is verified: it comes from the sandbox. */
const idTokenSchema = z.object({
  sub: z.string().min(1),
  aud: z.union([z.string(), z.array(z.string())]),
  nonce: z.unknown(),
  age_thresholds: z.record(z.string(), z.boolean()),
})
type IdToken = z.output<typeof idTokenSchema>

/** The id_token that the browser was sent back with. */
function answerOf({ flow, calls }: Flow): Omit<Answered, 'client_id' | 'flow'> | undefined {
  if (flow !== 'use') return undefined
  const nonce = calls.find(({ endpoint }) => endpoint === 'E1')?.parameters['nonce']
  return calls.flatMap(({ at, status, response }) => {
    const token = status < 400 ? parametersIn(response)['id_token'] : undefined
    const claims = token === undefined ? undefined : claimsOf(token)
    return claims === undefined ? [] : [{ at, nonce, claims }]
  })[0]
}

const responseSchema = z.union([
  z.object({ location: z.string() }).transform(({ location }) =>
    Object.fromEntries(
      location
        .split(/[?#]/)
        .slice(1)
        .flatMap((part) => [...new URLSearchParams(part)]),
    ),
  ),
  // A page whose form posts the answer to the app.
  z.object({ params: z.record(z.string(), z.string()) }).transform(({ params }) => params),
])

const parametersIn = (response: unknown): Readonly<Record<string, string>> =>
  responseSchema.safeParse(response).data ?? {}

function claimsOf(token: string): IdToken | undefined {
  try {
    return idTokenSchema.parse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()))
  } catch {
    return undefined
  }
}

/**
 * Whether the app has to take the answer: as the service made it, or unusual and right. The token is looked at too, because a forced
 * answer to a later call takes the place of the outcome of its flow.
 */
function isUnchanged({ flow: { outcome }, client_id: clientId, nonce, claims }: Answered): boolean {
  const row = outcome === undefined ? undefined : findOutcome('use', outcome)
  const isRight = row === undefined || row.correctClient === 'accept'
  return isRight && [claims.aud].flat().includes(clientId) && (nonce === undefined || claims.nonce === nonce)
}
