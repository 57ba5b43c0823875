import * as z from 'zod'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { Persona } from '../../client/shapes/decision.ts'
import { AuditProblem } from '../audit-problem.ts'

/** The part that a persona plays: `newcomer` holds no age key yet, `reaches 16` no threshold above 16. */
export type Role = 'adult' | 'minor' | 'newcomer' | `reaches ${number}`

export type Cast = Awaited<ReturnType<typeof chooseCast>>

/**
 * Chooses personas for the claims that an app asks for: an adult that reaches every threshold by them, a minor that reaches none.
 * @throws AuditProblem when no persona of the sandbox does
 */
export async function chooseCast(sandbox: SandboxApi, claims: string) {
  // The sandbox has accepted them.
  const asked = z.looseObject({ age_thresholds: z.array(z.number()) }).parse(JSON.parse(claims))
  const holders = (await sandbox.personas.list()).filter((persona) => persona.age_key)
  // An object lists names that are whole numbers in their order: the lowest age comes first.
  const answered = await Promise.all(
    holders.map(async (persona) => ({
      persona,
      answers: (await sandbox.evaluate({ claims: asked, persona: persona.name })).age_thresholds,
    })),
  )
  const require = (persona: Persona | undefined, wanted: string) => {
    if (persona) return persona
    throw new AuditProblem(
      `no persona of the sandbox ${wanted} of claims ${claims}; add one to your personas (PUT /_sandbox/personas/NAME)`,
    )
  }
  /** A persona that reaches so many thresholds, the lowest ones; `first` when it does. */
  const reaching = (count: number, first = '') => {
    const found = answered.filter(({ answers }) =>
      Object.values(answers).every((isMet, index) => isMet === index < count),
    )
    return (found.find(({ persona }) => persona.name === first) ?? found[0])?.persona
  }
  const ages = Object.keys(answered[0]?.answers ?? {}).map(Number)
  const models = new Map<Role, Persona>([
    ['adult', require(reaching(ages.length, 'adult-passport'), 'reaches every threshold')],
    ['minor', require(reaching(0, 'child-12'), 'reaches no threshold')],
    ['newcomer', await sandbox.personas.get('no-age-key')],
  ])
  /** A user for each age between two thresholds, as far as the sandbox has such a persona. */
  const between = ages.slice(1).flatMap((misses, index) => {
    const role: Role = `reaches ${ages[index] ?? 0}`
    const persona = reaching(index + 1)
    if (persona) models.set(role, persona)
    return persona ? [{ role, persona: persona.name, misses }] : []
  })
  const modelOf = (role: Role) => require(models.get(role), role)
  let copies = 0
  return {
    between,
    /** Persona of the sandbox that the role copies, for messages. */
    nameOf: (role: Role) => modelOf(role).name,
    /** Runs `act` as a persona of this role: one of its own, because an app may change an age key, unless it is the adult. */
    async as<Result>(role: Role, act: (persona: string) => Promise<Result>): Promise<Result> {
      if (role === 'adult') return act(modelOf('adult').name)
      copies += 1
      const name = `audit-${role.replace(' ', '-')}-${copies}`
      await sandbox.personas.put({ ...modelOf(role), name })
      return act(name).finally(() => sandbox.personas.remove(name))
    },
  }
}
