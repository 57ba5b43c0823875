import { onTestFinished } from 'vitest'
import { rowId } from '../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome, OutcomeFlow } from '../../src/sandbox/outcomes/outcome.ts'
import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { type Changes, startExpressExample } from '../support/express-example.ts'
import { personasFor } from '../support/personas-for.ts'
import { createAppBrowser, type Shown } from './app-browser.ts'

/** The calls that must not follow a wrong answer: each takes it for a right one. */
const NEXT_CALLS: Readonly<Partial<Record<OutcomeFlow, readonly string[]>>> = {
  use: ['E2', 'E4'],
  par: ['E3'],
  token: ['E5'],
}

/**
 * What an app does wrong with an outcome that is to be refused, while the sandbox is set to a persona; nothing when it
 * refuses it.
 */
export async function findFaults(
  { sandbox, appUrl }: { readonly sandbox: Sandbox; readonly appUrl: string },
  { flow, name, needs }: Pick<Outcome, 'flow' | 'name' | 'needs'>,
): Promise<string[]> {
  const visit = () => createAppBrowser().visit(`${appUrl}/verify`)
  if (needs?.includes('earlier_flow')) await visit()
  const earlier = await sandbox.flows.last()
  await sandbox.next({ flow, outcome: name })
  const shown = await visit()
  const called = (await sandbox.flows.list(earlier && { after: earlier.id })).flatMap((entry) =>
    entry.calls.map(({ endpoint }) => endpoint),
  )
  return [
    ...(isRefusal(shown) ? [] : [`it shows ${shown.url} ${shown.status} ${shown.text}`]),
    ...[...(NEXT_CALLS[flow] ?? []), 'trap']
      .filter((endpoint) => called.includes(endpoint))
      .map((next) => `it calls ${next}`),
  ]
}

/** Of the app: the sandbox itself also answers with 400 what it cannot do, which is no merit of the app. */
const isRefusal = ({ status, url }: Shown) =>
  status >= 400 && status < 500 && /^http:\/\/localhost:\d+\/(callback|created)\b/.test(url)

/** Those who meet a row: only a user without an age key comes to Create, and only a minor to the upgrade. */
function usersOf(row: Outcome): readonly string[] {
  if (row.flow === 'use') return personasFor(row)
  return row.flow === 'create' || row.flow === 'par' ? ['no-age-key'] : ['child-12']
}

/** What the Express example, with some of its texts changed, does wrong with rows: by their names. */
export async function findFaultsOfExample(
  sandbox: Sandbox,
  changes: Changes,
  { rows, users = usersOf }: { rows: readonly Outcome[]; users?: (row: Outcome) => readonly string[] },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const app = await startExpressExample(sandbox, changes)
  onTestFinished(() => app.stop())
  const found = new Map<string, readonly string[]>()
  for (const row of rows) {
    for (const persona of users(row)) {
      await sandbox.reset()
      await sandbox.configure({ persona })
      const faults = await findFaults({ sandbox, appUrl: app.url }, row)
      if (faults.length > 0) found.set(rowId(row), faults)
    }
  }
  return found
}
