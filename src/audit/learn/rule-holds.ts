import { titleOf, visibleText, wordsOf } from '../agent/read-page.ts'
import type { Driver, FlowRun } from '../drive/driver.ts'
import type { AcceptedRule } from './accepted-rule.ts'

/** Whether every part of a rule holds in a browser, after a run or before any. */
export async function holds(rule: AcceptedRule, run: Partial<FlowRun> & Pick<FlowRun, 'browser'>, driver: Driver) {
  const { browser, visit, observation } = run
  const { get, status, text, url, cookie, json } = rule.parts
  const fetchPage = async (path: string) => (await driver.peek(path, browser)).page
  const page = get === undefined ? visit?.page : await fetchPage(get)
  const address = page?.url ?? visit?.url
  if (get !== undefined && !page) return false
  if (status !== undefined && page?.status !== Number(status)) return false
  if (text !== undefined && !(page && `${titleOf(page)}\n${visibleText(page)}`.includes(text))) return false
  if (url !== undefined && (address === undefined || !addressPattern(url).test(address))) return false
  if (cookie !== undefined && !observation?.features.has(`sets ${cookie}`)) return false
  if (json === undefined) return true
  const [path = '', ...member] = json.split('#')
  const answer = await fetchPage(path)
  return answer !== undefined && wordsOf(answer).includes(member.join('#').toLowerCase())
}

/** Whether the rule asks the app itself: then its answer is an explicit one, also when it is a no. */
export const asksTheApp = ({ parts }: AcceptedRule): boolean => parts.get !== undefined || parts.json !== undefined

function addressPattern(glob: string): RegExp {
  const wild: Readonly<Record<string, string>> = { '*': '[^/]*', '**': '.*' }
  return new RegExp(`^${glob.replace(/\*\*?|[.+?^${}()|[\]\\]/g, (sign) => wild[sign] ?? `\\${sign}`)}$`, 's')
}
