import { unknownName } from '../../text/message-parts.ts'
import { titleOf, visibleText, wordsOf } from '../agent/read-page.ts'
import type { Driver, FlowRun } from '../drive/driver.ts'
import type { FlowOptions } from '../options.ts'

const PARTS = ['get', 'status', 'text', 'url', 'cookie', 'json']
const BEFORE_PART = new RegExp(`\\s+(?=(?:${PARTS.join('|')})=)`)
/** What the value of a part has to be, and what else it is, where not every text will do. */
const FORMS = new Map([
  ['get', { allowed: /^\//, isNot: 'no path' }],
  ['status', { allowed: /^[1-5]\d\d$/, isNot: 'no HTTP status' }],
  ['json', { allowed: /^\/[^#]*#.+=.+/s, isNot: 'not /path#member=value' }],
])

/** By what success or a refusal is known: every part has to hold. */
export interface AcceptedRule {
  readonly text: string
  readonly parts: Readonly<Record<string, string>>
}

/** Reads `get=/me status=200`. @throws Error with one line that names what came and what is allowed */
export function parseAcceptedRule(text: string): AcceptedRule {
  const refuse = (reason: string): never => {
    throw new Error(
      `${JSON.stringify(text)}: ${reason}; a rule is "get=/me status=200", "text=Welcome", "url=**/members", "cookie=session" or "json=/me#age.verified=true"`,
    )
  }
  const parts: Record<string, string> = {}
  for (const part of text.trim().split(BEFORE_PART)) {
    const [, name, value = ''] = /^(\w+)=\s*(.*)/s.exec(part) ?? []
    if (name === undefined) return refuse('it has no part name=value')
    if (!PARTS.includes(name)) return refuse(unknownName('part', name, PARTS))
    if (name in parts) return refuse(`${name} stands there twice`)
    if (value === '') return refuse(`${name} has no value`)
    const form = FORMS.get(name)
    if (form && !form.allowed.test(value)) return refuse(`${name}=${value} is ${form.isNot}`)
    parts[name] = value
  }
  return { text, parts }
}

/** The rules that the user gave for one flow. */
export type DeclaredRules = Partial<ReturnType<typeof declaredRules>>

export const declaredRules = ({ accepted, refused }: FlowOptions = {}) => ({
  accepted: accepted === undefined ? undefined : parseAcceptedRule(accepted),
  refused: refused === undefined ? undefined : parseAcceptedRule(refused),
})

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
