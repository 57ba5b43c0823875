import * as z from 'zod'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import { AuditProblem } from '../audit-problem.ts'

/** Names of the personas that an audit uses. The audit changes no persona. */
export interface TestedPersonas {
  readonly adult: string
  readonly minor: string
  /** A persona without an age key. */
  readonly newcomer: string
  /**
   * For each pair of neighbouring thresholds, a persona who reaches the lower threshold and misses
   * the higher threshold. A pair is left out if the sandbox has no such persona.
   */
  readonly between: readonly { readonly persona: string; readonly misses: number }[]
}

export type Role = 'adult' | 'minor' | 'newcomer'

/** Personas to try first. */
const USUAL = ['adult-passport', 'child-12']

/**
 * Chooses personas for the claims that an app requests.
 * @param claims the parameter `claims` of the Use request: JSON text
 * @throws AuditProblem with one line when the sandbox has no adult or no minor for these claims
 */
export async function chooseTestedPersonas(
  sandbox: SandboxApi,
  claims: string,
): Promise<TestedPersonas> {
  // The sandbox has accepted these claims, so `parse` does not throw.
  const asked = z.looseObject({ age_thresholds: z.array(z.number()) }).parse(JSON.parse(claims))
  const all = await sandbox.personas.list()
  const holders = all.filter((persona) => persona.age_key).map(({ name }) => name)
  const rank = (name: string) => Number(!USUAL.includes(name))
  const order = holders.toSorted((one, other) => rank(one) - rank(other))
  const ages = [...new Set(asked.age_thresholds)].toSorted((one, other) => one - other)
  const known = new Map<string, Readonly<Record<string, boolean>>>()

  /** The first persona that reaches only the `count` lowest thresholds. */
  async function reaching(count: number): Promise<string | undefined> {
    for (const persona of order) {
      const answers =
        known.get(persona) ?? (await sandbox.evaluate({ claims: asked, persona })).age_thresholds
      known.set(persona, answers)
      if (ages.every((age, index) => answers[age] === index < count)) return persona
    }
    return undefined
  }

  async function required(count: number, wanted: string): Promise<string> {
    const found = await reaching(count)
    if (found !== undefined) return found
    throw new AuditProblem(
      `no persona of the sandbox ${wanted} of claims ${claims}; add one to your personas (PUT /_sandbox/personas/NAME)`,
    )
  }

  const adult = await required(ages.length, 'reaches every threshold')
  const minor = await required(0, 'reaches no threshold')
  const between: { persona: string; misses: number }[] = []
  for (const [index, misses] of ages.entries()) {
    const persona = index === 0 ? undefined : await reaching(index)
    if (persona !== undefined) between.push({ persona, misses })
  }
  return {
    adult,
    minor,
    newcomer: all.find((persona) => !persona.age_key)?.name ?? 'no-age-key',
    between,
  }
}
