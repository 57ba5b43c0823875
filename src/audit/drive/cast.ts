import * as z from 'zod'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { Persona } from '../../client/shapes/decision.ts'
import { AuditProblem } from '../audit-problem.ts'

/** The part that a persona plays: `newcomer` holds no age key yet. */
export type Role = 'adult' | 'minor' | 'newcomer'

/** The personas of an audit. An app may change an age key, so that each minor is a persona of its own, which is removed again. */
export interface Cast {
  /** Persona of the sandbox that the role copies, for messages. */
  nameOf(role: Role): string
  /** Runs `act` as a persona of this role. */
  as<Result>(role: Role, act: (persona: string) => Promise<Result>): Promise<Result>
}

const MODELS = { adult: 'adult-passport', minor: 'child-12', newcomer: 'no-age-key' } as const

/**
 * Chooses personas for the claims that an app asks for: an adult that reaches every threshold by them, a minor that reaches none.
 * @throws AuditProblem when no persona of the sandbox does
 */
export async function chooseCast(sandbox: SandboxApi, claims: string): Promise<Cast> {
  const adult = await findPersona(sandbox, { claims, first: MODELS.adult, answer: true })
  const minor = await findPersona(sandbox, { claims, first: MODELS.minor, answer: false })
  const models: Readonly<Record<Role, Persona>> = {
    adult,
    minor,
    newcomer: await sandbox.personas.get(MODELS.newcomer),
  }
  let copies = 0
  return {
    nameOf: (role) => models[role].name,
    async as(role, act) {
      if (role === 'adult') return act(adult.name)
      copies += 1
      const name = `audit-${role}-${copies}`
      await sandbox.personas.put({ ...models[role], name })
      try {
        return await act(name)
      } finally {
        await sandbox.personas.remove(name)
      }
    },
  }
}

/** The sandbox has accepted them. */
const claimsSchema = z.looseObject({ age_thresholds: z.array(z.number()) })

/** The persona whose answers to the claims are all `answer`; the one named first is preferred. */
async function findPersona(
  sandbox: SandboxApi,
  { claims, first, answer }: { claims: string; first: string; answer: boolean },
): Promise<Persona> {
  const personas = await sandbox.personas.list()
  const preferred = personas.toSorted((one, other) => Number(other.name === first) - Number(one.name === first))
  const asked = claimsSchema.parse(JSON.parse(claims))
  for (const persona of preferred) {
    if (!persona.age_key) continue
    const { age_thresholds: answers } = await sandbox.evaluate({ claims: asked, persona: persona.name })
    if (Object.values(answers).every((one) => one === answer)) return persona
  }
  const wanted = answer ? 'reaches every threshold' : 'reaches no threshold'
  throw new AuditProblem(
    `no persona of the sandbox ${wanted} of claims ${claims}; add one to your personas (PUT /_sandbox/personas/NAME)`,
  )
}
