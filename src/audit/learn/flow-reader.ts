import { titleOf, visibleText, wordsOf } from '../agent/read-page.ts'
import type { Driver, FlowRun } from '../drive/driver.ts'
import type { FlowOptions } from '../options.ts'
import { type AcceptedRule, asksTheApp, parseAcceptedRule } from './accepted-rule.ts'
import { type Reading, readObservation, type Signature } from './signature.ts'

/** The rules that the user gave for one flow. */
export interface DeclaredRules {
  readonly accepted?: AcceptedRule | undefined
  readonly refused?: AcceptedRule | undefined
}

export const declaredRules = ({ accepted, refused }: FlowOptions = {}): DeclaredRules => ({
  accepted: accepted === undefined ? undefined : parseAcceptedRule(accepted),
  refused: refused === undefined ? undefined : parseAcceptedRule(refused),
})

/** Reads how a run ended: by the rules that the user gave, else by what was learned. */
export async function readRun(
  run: FlowRun,
  { signature, rules, driver }: { signature: Signature; rules: DeclaredRules; driver: Driver },
): Promise<Reading> {
  const { accepted, refused } = rules
  const learned = readObservation(signature, run.observation)
  if (accepted && (await holds(accepted, run, driver))) return 'yes'
  if (refused && (await holds(refused, run, driver))) return 'no'
  if (!accepted) return learned
  // The app still answers what the rule asks, so a crash of the page before is one all the same.
  if (learned === 'broke' || learned === 'no') return learned
  const isPage = run.observation.end === 'page'
  return isPage && run.observation.status !== 429 && asksTheApp(accepted) ? 'no' : 'unknown'
}

/** Whether every part of a rule holds in a browser, after a run or before any. */
export async function holds(
  rule: AcceptedRule,
  { browser, visit, observation }: Pick<FlowRun, 'browser'> & Partial<FlowRun>,
  driver: Driver,
): Promise<boolean> {
  const { get, status, says, url, cookie, json } = rule
  const fetchPage = async (path: string) => (await driver.open({ url: path }, browser)).page
  const page = get === undefined ? visit?.page : await fetchPage(get)
  if (get !== undefined && !page) return false
  if (status !== undefined && page?.status !== status) return false
  if (says !== undefined && !(page && `${titleOf(page)}\n${visibleText(page)}`.includes(says))) return false
  const address = page?.url ?? visit?.url
  if (url && (address === undefined || !url.test(address))) return false
  if (cookie !== undefined && !observation?.features.has(`sets ${cookie}`)) return false
  if (!json) return true
  const answer = await fetchPage(json.path)
  return answer !== undefined && wordsOf(answer).includes(json.member.toLowerCase())
}
