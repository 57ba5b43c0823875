import * as z from 'zod'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import { AuditProblem } from '../audit-problem.ts'

/** Names of the personas that an audit uses; an audit changes no persona. */
export interface TestedPersonas {
  readonly adult: string
  readonly minor: string
  /** A persona without an age key. */
  readonly newcomer: string
  /**
   * A persona for each pair of neighbouring thresholds, if the sandbox has one: the persona reaches
   * the lower threshold and misses the higher one.
   */
  readonly between: readonly { readonly persona: string; readonly misses: number }[]
}

export type Role = 'adult' | 'minor' | 'newcomer'

/** These personas are tried first. */
const USUAL = ['adult-passport', 'child-12']

/**
 * Chooses personas for the claims of an app.
 * @throws AuditProblem when no persona of the sandbox fits
 */
export async function chooseTestedPersonas(
  sandbox: SandboxApi,
  claims: string,
): Promise<TestedPersonas> {
  // The sandbox has accepted the claims.
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
