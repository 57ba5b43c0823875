import type { ShownPage } from '../agent/browser.ts'
import { titleOf, visibleText, wordsOf } from '../agent/read-page.ts'
import type { Driver } from '../drive/driver.ts'
import type { FlowRun } from '../drive/flow-run.ts'
import type { AcceptedRule } from './accepted-rule.ts'

/** Whether all parts of a rule hold in a browser, after a run or in a fresh browser. */
export async function ruleHolds(
  { parts }: AcceptedRule,
  run: Partial<FlowRun> & Pick<FlowRun, 'browser'>,
  driver: Driver,
): Promise<boolean> {
  const { get, json } = parts
  const fetchPage = async (path: string) => (await driver.peek(path, run.browser)).page
  const page = get === undefined ? run.visit?.page : await fetchPage(get)
  if (get !== undefined && !page) return false
  if (!holdsAtPage(parts, page, run)) return false
  if (json === undefined) return true
  const [path = '', ...member] = json.split('#')
  const answer = await fetchPage(path)
  return answer !== undefined && wordsOf(answer).includes(member.join('#').toLowerCase())
}

function holdsAtPage(
  { status, text, url, cookie }: AcceptedRule['parts'],
  page: ShownPage | undefined,
  { visit, observation }: Partial<FlowRun>,
): boolean {
  const address = page?.url ?? visit?.url
  if (status !== undefined && page?.status !== Number(status)) return false
  if (text !== undefined && !(page && hasText(page, text))) return false
  if (url !== undefined && (address === undefined || !addressPattern(url).test(address)))
    return false
  return cookie === undefined || observation?.features.has(`sets ${cookie}`) === true
}

const hasText = (page: ShownPage, text: string) =>
  `${titleOf(page)}\n${visibleText(page)}`.includes(text)

/** Compiles a glob: `*` matches within a path segment, `**` matches any text. */
function addressPattern(glob: string): RegExp {
  const wild: Readonly<Record<string, string>> = { '*': '[^/]*', '**': '.*' }
  return new RegExp(
    `^${glob.replace(/\*\*?|[.+?^${}()|[\]\\]/g, (sign) => wild[sign] ?? `\\${sign}`)}$`,
    's',
  )
}
