import * as z from 'zod'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { Persona } from '../../client/shapes/decision.ts'
import { AuditProblem } from '../audit-problem.ts'

/** The part that a persona plays: `newcomer` holds no age key yet, `reaches 16` no threshold above 16. */
export type Role = 'adult' | 'minor' | 'newcomer' | `reaches ${number}`

/** The personas of an audit. An app may change an age key, so that each minor is a persona of its own, which is removed again. */
export interface Cast {
  /** Persona of the sandbox that the role copies, for messages. */
  nameOf(role: Role): string
  /** A user for each age between two thresholds, as far as the sandbox has such a persona. */
  readonly between: readonly { readonly role: Role; readonly persona: string; readonly misses: number }[]
  /** Runs `act` as a persona of this role. */
  as<Result>(role: Role, act: (persona: string) => Promise<Result>): Promise<Result>
}

const MODELS = { adult: 'adult-passport', minor: 'child-12', newcomer: 'no-age-key' } as const

/**
 * Chooses personas for the claims that an app asks for: an adult that reaches every threshold by them, a minor that reaches none.
 * @throws AuditProblem when no persona of the sandbox does
 */
export async function chooseCast(sandbox: SandboxApi, claims: string): Promise<Cast> {
  const answered = await answersOf(sandbox, claims)
  const find = (first: string, isWanted: (answers: readonly boolean[]) => boolean) =>
    answered
      .toSorted((one, other) => Number(other.persona.name === first) - Number(one.persona.name === first))
      .find(({ answers }) => isWanted(answers.map(([, isMet]) => isMet)))?.persona
  const require = (persona: Persona | undefined, wanted: string) => {
    if (persona) return persona
    throw new AuditProblem(
      `no persona of the sandbox ${wanted} of claims ${claims}; add one to your personas (PUT /_sandbox/personas/NAME)`,
    )
  }
  const isAll = (answer: boolean) => (answers: readonly boolean[]) => answers.every((one) => one === answer)
  const models = new Map<Role, Persona>([
    ['adult', require(find(MODELS.adult, isAll(true)), 'reaches every threshold')],
    ['minor', require(find(MODELS.minor, isAll(false)), 'reaches no threshold')],
    ['newcomer', await sandbox.personas.get(MODELS.newcomer)],
  ])
  const ages = answered[0]?.answers.map(([age]) => age) ?? []
  const between = ages.slice(1).flatMap((misses, index) => {
    const role: Role = `reaches ${ages[index] ?? 0}`
    const persona = find('', (answers) => answers.every((isMet, at) => isMet === at <= index))
    if (persona) models.set(role, persona)
    return persona ? [{ role, persona: persona.name, misses }] : []
  })
  const modelOf = (role: Role) => require(models.get(role), role)
  let copies = 0
  return {
    between,
    nameOf: (role) => modelOf(role).name,
    async as(role, act) {
      if (role === 'adult') return act(modelOf('adult').name)
      copies += 1
      const name = `audit-${role.replace(' ', '-')}-${copies}`
      await sandbox.personas.put({ ...modelOf(role), name })
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

/** What each persona with an age key answers to the claims, by age, lowest first. */
async function answersOf(sandbox: SandboxApi, claims: string) {
  const asked = claimsSchema.parse(JSON.parse(claims))
  const holders = (await sandbox.personas.list()).filter((persona) => persona.age_key)
  return Promise.all(
    holders.map(async (persona) => {
      const { age_thresholds: answers } = await sandbox.evaluate({ claims: asked, persona: persona.name })
      const byAge = Object.entries(answers).map(([age, isMet]) => [Number(age), isMet] as const)
      return { persona, answers: byAge.toSorted(([one], [other]) => one - other) }
    }),
  )
}
