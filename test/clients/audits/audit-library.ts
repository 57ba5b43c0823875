import { existsSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../../src/audit/audit.ts'
import { appAt } from '../../../src/audit/drive/driver.ts'
import type { AuditRunOptions } from '../../../src/audit/options.ts'
import { OUTCOMES, rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { startFreshBy } from '../../support/start-fresh.ts'
import { factsFile, factsOf, installedVersion, readFacts, type Subject } from './facts.ts'

interface AuditedLibrary
  extends Omit<Subject, 'version' | 'left_out'>,
    Partial<Pick<Subject, 'left_out'>> {
  /** Of the file in facts/, and of the package of npm. */
  readonly name: string
  readonly options?: AuditRunOptions
  /**
   * Of what the system has installed. Another machine may have another version: its facts are not
   * about that one.
   */
  readonly version?: string
  /**
   * Whether rows of discovery and of the key set are tried, each by an app and a sandbox of its
   * own.
   */
  readonly startsFresh?: boolean
  /**
   * Starts an app that does what the library does and nothing else, for one test: the page where a
   * user begins.
   */
  start(sandbox: Sandbox): Promise<string>
}

/**
 * Not tried: the rules of this service, which no library knows, and what a correct app may do when
 * the app starts.
 */
const SKIPPED = OUTCOMES.filter(
  ({ layer, flow, correctClient }) =>
    layer === 'service' ||
    (correctClient === 'depends' && (flow === 'jwks' || flow === 'discovery')),
).map(rowId)

/** What an app reads in place of its library: the answer, and the reply of an upgrade. */
export const READS_ANSWER = {
  'family:response_mode':
    'the app reads the answer by itself where it asked for it, and gives it to the library',
}
export const READS_REPLY = {
  'flow:upgrade': 'the reply is one of an API, and the app reads it by itself',
}

// An audit takes ten seconds on an idle machine.
vi.setConfig({ testTimeout: 600_000 })

/**
 * An audit of an app that leaves all checks to a library finds what stands in facts/; `npm run
 * facts` writes it.
 */
export function auditLibrary({
  name,
  start,
  options,
  startsFresh = false,
  ...library
}: AuditedLibrary): void {
  test(`An audit of an app with ${library.library} finds what its facts say`, async ({ skip }) => {
    const subject = { version: library.version ?? installedVersion(name), left_out: {}, ...library }
    const measured = isUpdate(name) ? subject.version : readFacts(name).version
    const other = `the facts are of ${measured}, and ${subject.version} is installed here; npm run facts`
    if (library.version !== undefined && measured !== subject.version) skip(other)
    const sandbox = await startSandbox()
    const copies = [
      appAt(sandbox, { page: await start(sandbox), agent: createHttpAgent() }),
    ] as const
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
    const [flow] = await sandbox.flows.list({ audit: 'only', flow: 'use', outcome: 'verified' })
    const request = flow?.calls.find(({ endpoint }) => endpoint === 'E1')?.parameters ?? {}
    const facts = factsOf(report, { subject, request, measured: dayOf(name) })
    const hint = 'the audit finds something else than the facts; npm run facts writes what it finds'
    await expect(`${JSON.stringify(facts, null, 2)}\n`, hint).toMatchFileSnapshot(factsFile(name))
  })
}

/** The day of the facts, which an update makes today. */
const dayOf = (name: string): string =>
  isUpdate(name) ? new Date().toISOString().slice(0, 10) : readFacts(name).measured

const isUpdate = (name: string): boolean =>
  expect.getState().snapshotState.snapshotUpdateState === 'all' || !existsSync(factsFile(name))
