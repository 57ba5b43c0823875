import { existsSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../../src/audit/audit.ts'
import { appAt } from '../../../src/audit/drive/audited-app.ts'
import type { AuditOptions } from '../../../src/audit/options.ts'
import { OUTCOMES, rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { startFreshBy } from '../../support/start-fresh.ts'
import { factsFile, factsOf, readFacts, type Subject } from './facts.ts'

interface AuditedLibrary extends Subject {
  /** Of the file in facts/. */
  readonly name: string
  readonly options?: AuditOptions
  /** The system has installed it, so that another machine may have another version: its facts are not about that one. */
  readonly isOfSystem?: boolean
  /** Whether rows of discovery and of the key set are tried, each by an app and a sandbox of its own. */
  readonly startsFresh?: boolean
  /** Starts an app that does what the library does and nothing else, for one test: the page where a user begins. */
  start(sandbox: Sandbox): Promise<string>
}

/**
 * No library knows the rules of this service: the facts say nothing of them. Neither do they of what a correct app may do when it
 * starts, which is a start of the app for each row.
 */
const SKIPPED = OUTCOMES.filter(
  ({ layer, flow, correctClient }) =>
    layer === 'service' || (correctClient === 'depends' && (flow === 'jwks' || flow === 'discovery')),
).map(rowId)

// An audit takes ten seconds on an idle machine.
vi.setConfig({ testTimeout: 600_000 })

/** An audit of an app that leaves all checks to a library finds what stands in facts/; `npm run facts` writes it. */
export function auditLibrary({
  name,
  start,
  options,
  isOfSystem = false,
  startsFresh = false,
  ...subject
}: AuditedLibrary): void {
  test(`An audit of an app with ${subject.library} finds what its facts say`, async ({ skip }) => {
    if (isOfSystem) skipOtherVersion(name, { subject, skip })
    const sandbox = await startSandbox()
    const copies = [appAt(sandbox, { page: await start(sandbox), agent: createHttpAgent() })] as const
    const startFresh = startsFresh
      ? startFreshBy(async (copy) => ({ url: new URL(await start(copy)).origin, stop() {} }))
      : undefined
    const report = await runAudit(
      { copies, visitsEach: 4, startFresh },
      {
        failOn: 'may',
        timeoutSeconds: 30,
        budgetSeconds: 600,
        skip: [...Object.keys(subject.left_out), ...SKIPPED],
        ...options,
      },
    )
    const [flow] = await sandbox.flows.list({ flow: 'use', outcome: 'verified' })
    const request = flow?.calls.find(({ endpoint }) => endpoint === 'E1')?.parameters ?? {}
    const facts = factsOf(report, { subject, request, measured: dayOf(name) })
    const hint = 'the audit finds something else than the facts; npm run facts writes what it finds'
    await expect(`${JSON.stringify(facts, null, 2)}\n`, hint).toMatchFileSnapshot(factsFile(name))
  })
}

function skipOtherVersion(
  name: string,
  { subject: { library, version }, skip }: { subject: Subject; skip: (note: string) => void },
): void {
  const measured = isUpdate(name) ? version : readFacts(name).version
  if (measured === version) return
  skip(`the facts about ${library} are of ${measured}, and ${version} is installed here; npm run facts`)
}

/** The day of the facts, which an update makes today. */
const dayOf = (name: string): string =>
  isUpdate(name) ? new Date().toISOString().slice(0, 10) : readFacts(name).measured

const isUpdate = (name: string): boolean =>
  expect.getState().snapshotState.snapshotUpdateState === 'all' || !existsSync(factsFile(name))
