import type { AuditReport, Learned } from '../../sandbox/outcomes/audit-report.ts'
import type { AuditedApp } from '../drive/audited-app.ts'
import type { Driver } from '../drive/driver.ts'
import type { Readers } from '../judge/judge-run.ts'
import type { AuditOptions } from '../options.ts'
import { declaredRules } from './flow-reader.ts'
import { type LearnedLater, learnCreate, learnUpgrade } from './learn-later.ts'
import { type LearnedUse, learnUse } from './learn-use.ts'
import { learnVisits, withSilence } from './learn-visits.ts'
import { describeFeatures, describeYes, type Signature } from './signature.ts'

/** All that is known of an app before it is judged. */
export interface LearnedApp {
  readonly use: LearnedUse
  readonly create: LearnedLater
  readonly upgrade: LearnedLater
  /** How its pages are read; what is of one copy alone comes to it. */
  readonly reading: Omit<Readers, 'sandbox' | 'driver'>
  /** For the report and for people. */
  readonly described: AuditReport['learned']
  readonly lines: readonly string[]
}

/** Learns how each flow of an app looks when it ends well and when it does not. @throws AuditProblem */
export async function learnApp(
  { sandbox, page, agent, readsFragments }: AuditedApp,
  driver: Driver,
  options: AuditOptions,
): Promise<LearnedApp> {
  const rules = {
    use: declaredRules(options.use),
    create: declaredRules(options.create),
    upgrade: declaredRules(options.upgrade),
  }
  const isVisited = agent === 'function'
  const use = isVisited
    ? await learnVisits({ sandbox, driver })
    : await learnUse({ sandbox, driver, page, agent, readsFragments, rules: rules.use })
  const subject = { sandbox, driver, use, hasPages: !isVisited }
  const found = {
    create: await learnCreate({ ...subject, options: options.create }),
    upgrade: await learnUpgrade({ ...subject, options: options.upgrade }),
  }
  const { create, upgrade } = isVisited ? withSilence(found) : found
  const signatures = {
    use: use.signature,
    ...(create.kind === 'learned' && { create: create.signature }),
    ...(upgrade.kind === 'learned' && { upgrade: upgrade.signature }),
  }
  const reading = { signatures, rules, createsAfterDenial: use.createsAfterDenial }
  const described = Object.fromEntries(
    Object.entries(signatures).map(([flow, signature]) => [flow, describe(signature)]),
  )
  const lines = Object.entries(described).flatMap(([flow, { yes, no }]) => [
    `${flow}: yes is ${yes}`,
    ...no.map((one) => `${flow}: no is ${one}`),
  ])
  const absent = [create, upgrade].flatMap((one) => {
    if (one.kind === 'learned') return one.silence === undefined ? [] : [one.silence]
    return one.kind === 'absent' ? [one.reason] : [one.evidence]
  })
  return { use, create, upgrade, reading, described, lines: [...lines, ...absent] }
}

const describe = (signature: Signature): Learned => ({
  yes: describeYes(signature),
  no: [...new Set(signature.noes.map(({ always }) => describeFeatures(always)))],
})
