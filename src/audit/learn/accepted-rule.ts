import { unknownName } from '../../age/nearest.ts'
import { titleOf, visibleText, wordsOf } from '../agent/read-page.ts'
import type { Driver, FlowRun } from '../drive/driver.ts'
import type { FlowOptions } from '../options.ts'

/** By what success or a refusal is known: every part has to hold. */
export interface AcceptedRule {
  readonly text: string
  /** A path of the app, fetched with the cookies of the browser: `status` and `says` are of its answer. */
  readonly get?: string | undefined
  readonly status?: number | undefined
  /** A text that stands on the page. */
  readonly says?: string | undefined
  /** The address of the page: `**` is anything, `*` anything but a slash. */
  readonly url?: RegExp | undefined
  /** A cookie that the app set. */
  readonly cookie?: string | undefined
  /** A path of the app, fetched with the cookies of the browser, and a member of its JSON: `age.verified=true`. */
  readonly json?: { readonly path: string; readonly member: string } | undefined
}

const PARTS = ['get', 'status', 'text', 'url', 'cookie', 'json']
const BEFORE_PART = new RegExp(`\\s+(?=(?:${PARTS.join('|')})=)`)

/** Reads `get=/me status=200`. @throws Error with one line that names what came and what is allowed */
export function parseAcceptedRule(text: string): AcceptedRule {
  const refuse = (reason: string): never => {
    throw new Error(
      `${JSON.stringify(text)}: ${reason}; a rule is "get=/me status=200", "text=Welcome", "url=**/members", "cookie=session" or "json=/me#age.verified=true"`,
    )
  }
  const values = new Map<string, string>()
  for (const part of text.trim().split(BEFORE_PART)) {
    const [, name, value] = /^(\w+)=\s*(.*)/s.exec(part) ?? []
    if (name === undefined) return refuse('it has no part name=value')
    if (!PARTS.includes(name)) return refuse(unknownName('part', name, PARTS))
    if (values.has(name)) return refuse(`${name} stands there twice`)
    if (!value) return refuse(`${name} has no value`)
    values.set(name, value)
  }
  const status = values.get('status')
  if (status !== undefined && !/^[1-5]\d\d$/.test(status)) return refuse(`status ${status} is no HTTP status`)
  const get = values.get('get')
  const json = values.get('json')
  const [, path, member] = json?.match(/^(\/[^#]*)#(.+=.+)/s) ?? []
  if (get !== undefined && !get.startsWith('/')) return refuse(`get=${get} is no path`)
  if (json !== undefined && !path) return refuse('json is not /path#member=value')
  return {
    text,
    get,
    status: status === undefined ? undefined : Number(status),
    says: values.get('text'),
    url: addressPattern(values.get('url')),
    cookie: values.get('cookie'),
    json: path && member ? { path, member } : undefined,
  }
}

/** The rules that the user gave for one flow. */
export interface DeclaredRules {
  readonly accepted?: AcceptedRule | undefined
  readonly refused?: AcceptedRule | undefined
}

export const declaredRules = ({ accepted, refused }: FlowOptions = {}): DeclaredRules => ({
  accepted: accepted === undefined ? undefined : parseAcceptedRule(accepted),
  refused: refused === undefined ? undefined : parseAcceptedRule(refused),
})

/** Whether every part of a rule holds in a browser, after a run or before any. */
export async function holds(
  rule: AcceptedRule,
  { browser, visit, observation }: Pick<FlowRun, 'browser'> & Partial<FlowRun>,
  driver: Driver,
): Promise<boolean> {
  const { get, status, says, url, cookie, json } = rule
  const fetchPage = async (path: string) => (await driver.peek(path, browser)).page
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

/** Whether the rule asks the app itself: then its answer is an explicit one, also when it is a no. */
export const asksTheApp = ({ get, json }: AcceptedRule): boolean => get !== undefined || json !== undefined

function addressPattern(glob: string | undefined): RegExp | undefined {
  if (glob === undefined) return undefined
  const escaped = glob.split(/(\*\*|\*)/).map((part) => {
    if (part === '**') return '.*'
    return part === '*' ? '[^/]*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${escaped.join('')}$`, 's')
}
