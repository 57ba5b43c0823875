import type { BrowserVisit } from '../../src/audit/agent/browser.ts'
import { observe } from '../../src/audit/drive/observation.ts'
import type { LearnedApp } from '../../src/audit/learn/learn-app.ts'
import {
  type FlowParts,
  type LearnedFlow,
  learnFlow,
  type SeenKind,
} from '../../src/audit/learn/learned-flow.ts'
import type { SeenRun } from '../../src/audit/learn/see-run.ts'
import { ASKED, NO, PERSONAS, runOf, visitTo } from './imitated-pages.ts'

// What was seen of an app, and what is learned from it.

/** A run that ended at a page, with the results of probes. */
export const seenOf = (
  last: string | BrowserVisit,
  probes: Readonly<Record<string, string>> = {},
): SeenRun => ({
  run: runOf(last),
  probes: new Map(
    Object.entries(probes).map(([path, said]) => [path, observe(visitTo(said, { hops: [] }))]),
  ),
})

/** Kinds of refusals by their labels, each with its page, seen twice. */
export const kindsOf = (
  pages: Readonly<Record<string, string | BrowserVisit>>,
): readonly SeenKind[] =>
  Object.entries(pages).map(([label, page]) => ({ label, seen: [seenOf(page), seenOf(page)] }))

/**
 * The reading of a flow that shows `yes` after a right answer and each of `noes` after a wrong one.
 */
export const flowShowing = (
  yes: string,
  noes: Readonly<Record<string, string | BrowserVisit>> = { access_denied: NO },
  parts: Partial<FlowParts> = {},
): LearnedFlow =>
  learnFlow({ rules: {}, ins: [seenOf(yes), seenOf(yes)], outs: kindsOf(noes), ...parts })

export const [ME_IN, ME_OUT] = ['200 /me In.', '401 /me No.']

/** The reading of a flow whose app shows at /me who is in. */
export const flowProbed = (yes: string, no: string): LearnedFlow => {
  const outs = [{ label: 'access_denied', seen: [seenOf(no, { '/me': ME_OUT })] }]
  return learnFlow({ rules: {}, ins: [seenOf(yes, { '/me': ME_IN })], outs, paths: ['/me'] })
}

/** What was learned of an app that has only Use, unless `changes` say otherwise. */
export function learnedOf(use: LearnedFlow, changes: Partial<LearnedApp> = {}): LearnedApp {
  const { claims } = ASKED
  const profile = {
    responseMode: 'query',
    canCreate: true,
    upgradeScope: true,
    repeatsState: false,
    claims,
  } as const
  return {
    profile,
    personas: PERSONAS,
    use,
    create: { kind: 'absent', reason: 'it has no Create' },
    upgrade: { kind: 'absent', reason: 'it has no Upgrade' },
    letsIn: [],
    minor: seenOf(NO),
    between: [],
    createsAfterDenial: false,
    signOut: [],
    visitSeconds: 0,
    described: { use: { yes: '', no: [] } },
    lines: [],
    ...changes,
  }
}
