import { CALLS, type CallName } from '../../service/oidc/endpoints.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { listed, unknownName } from '../../service/text/message-parts.ts'
import type { Persona } from '../personas/persona-schema.ts'
import type { Personas } from '../personas/personas.ts'
import { findOutcome, OUTCOMES, outcomesFor } from './catalogue.ts'
import type { Outcome } from './outcome.ts'

/**
 * Finds a persona by name.
 * @param lookup.source where the name was given, for the message: `query parameter sandbox_persona`
 * @param lookup.status 404 when the name is part of the path (default 400)
 * @throws Refusal with similar names
 */
export async function requirePersona(
  name: string,
  {
    personas,
    source = 'persona',
    status = 400,
  }: { personas: Personas; source?: string; status?: 400 | 404 },
): Promise<Persona> {
  const persona = await personas.find(name)
  if (persona) return persona
  const known = (await personas.list()).map((one) => one.name)
  throw Refusal.unknownName({
    source,
    kind: 'persona',
    name,
    known,
    listedBy: 'GET /_sandbox/personas',
    status,
  })
}

/**
 * Finds an outcome that a request of `flow` may force.
 * @throws Refusal with similar names
 */
export const requireOutcome = (flow: CallName, name: string, source = 'outcome'): Outcome =>
  findAmong(outcomesFor(flow), name, { source, problem: () => outcomeProblem(flow, name) })

/**
 * Finds an outcome in `rows`.
 * @throws Refusal with similar names, or with the more specific problem
 */
function findAmong(
  rows: readonly Outcome[],
  name: string,
  { source, problem }: { source: string; problem?: () => string | undefined },
): Outcome {
  const outcome = rows.find((row) => row.name === name)
  if (outcome) return outcome
  const known = [...new Set(rows.map((row) => row.name))]
  const listedBy = 'GET /_sandbox/catalog'
  throw Refusal.unknownName({
    source,
    kind: 'outcome',
    name,
    listedBy,
    known,
    problem: problem?.(),
  })
}

/** Why a request of `flow` cannot force an outcome of this name; `undefined` when it can. */
export function outcomeProblem(flow: CallName, name: string): string | undefined {
  const known = outcomesFor(flow).map((row) => row.name)
  if (known.includes(name)) return undefined
  const others = CALLS.filter((other) => findOutcome(other, name))
  if (others.length === 0) return unknownName(`outcome of ${flow}`, name, known)
  return `${JSON.stringify(name)} is an outcome of ${others.join(' and ')}, not of ${flow}. Outcomes of ${flow}: ${listed(known)}.`
}

/** Whether a browser makes the requests of this flow, so that they carry its cookies. */
export const isOfBrowser = (flow: CallName): boolean => flow === 'use' || flow === 'create'

/**
 * Checks that Use or Create has an outcome of this name.
 * @throws Refusal with similar names
 */
export function requireBrowserOutcome(name: string, source: string): void {
  const other = OUTCOMES.find((row) => row.name === name)
  const problem = () =>
    other &&
    `${JSON.stringify(name)} is an outcome of ${other.flow}, a call that no browser makes with its cookies; queue it by POST /_sandbox/expectations, or name it in the authorization request.`
  const rows = OUTCOMES.filter(({ flow }) => isOfBrowser(flow))
  findAmong(rows, name, { source, problem })
}

/**
 * Checks that any flow has an outcome of this name.
 * @throws Refusal with similar names
 */
export function requireOutcomeName(name: string, source = 'outcome'): void {
  findAmong(OUTCOMES, name, { source })
}
