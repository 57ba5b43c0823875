import { unknownName } from '../../service/text/message-parts.ts'
import type { FlowOptions } from '../options.ts'

const PARTS = ['get', 'status', 'text', 'url', 'cookie', 'json']
const BEFORE_PART = new RegExp(`\\s+(?=(?:${PARTS.join('|')})=)`)
/** Allowed values, for the parts that do not accept every text. */
const FORMS = new Map([
  ['get', { allowed: /^\//, isNot: 'no path' }],
  ['status', { allowed: /^[1-5]\d\d$/, isNot: 'no HTTP status' }],
  ['json', { allowed: /^\/[^#]*#.+=.+/s, isNot: 'not /path#member=value' }],
])

/** A declared sign of success or of a refusal. It holds if all its parts hold. */
export interface AcceptedRule {
  readonly text: string
  readonly parts: Readonly<Record<string, string>>
}

/**
 * Parses a rule.
 * @throws Error with one line that names what was received and what is allowed
 * @example
 * ```ts
 * parseAcceptedRule('get=/me status=200').parts // { get: '/me', status: '200' }
 * ```
 */
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

/** The declared rules of a flow. */
export interface DeclaredRules {
  readonly accepted?: AcceptedRule | undefined
  readonly refused?: AcceptedRule | undefined
}

export const declaredRules = ({ accepted, refused }: FlowOptions = {}): DeclaredRules => ({
  accepted: accepted === undefined ? undefined : parseAcceptedRule(accepted),
  refused: refused === undefined ? undefined : parseAcceptedRule(refused),
})

/** Whether the rule requests a page of the app. If so, a rule that fails is a sign of a refusal. */
export const asksTheApp = ({ parts }: AcceptedRule): boolean =>
  parts.get !== undefined || parts.json !== undefined
