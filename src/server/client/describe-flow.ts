import { isJsonObject } from '../../service/age/json-object.ts'
import { ENDPOINTS } from '../../service/oidc/endpoints.ts'
import { splitUrl } from '../../service/text/split-url.ts'
import type { CallRecord, Finding, Flow } from './shapes.ts'

/** A line of text; `tone` tells a terminal how to colour it. */
export interface DescribedLine {
  readonly text: string
  readonly tone?: 'title' | 'error' | 'advice'
}

/**
 * Describes a flow in lines of text: result, reasons, one line for each call, findings, and what a
 * correct client does next.
 */
export function describeFlow(flow: Flow): DescribedLine[] {
  const { id, flow: kind, status, summary, reasons = [], next_steps: next = [], calls } = flow
  const about = [
    ['persona', flow.persona],
    ['outcome', flow.outcome],
    ['client', flow.client_id],
    ['state', flow.state],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]))
  return [
    { text: `${id} ${kind} ${status}: ${summary}`, tone: status === 'error' ? 'error' : 'title' },
    ...(about.length === 0 ? [] : [{ text: about.join(', ') }]),
    ...section('Why', reasons.map(plain)),
    ...section('Calls', calls.flatMap(describeCall)),
    ...section('What a correct client does next', next.map(plain)),
  ]
}

const plain = (text: string): DescribedLine => ({ text })

const section = (title: string, lines: readonly DescribedLine[]): DescribedLine[] =>
  lines.length === 0
    ? []
    : [
        { text: '' },
        { text: title, tone: 'title' },
        ...lines.map((line) => ({ ...line, text: `  ${line.text}` })),
      ]

const TITLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.values(ENDPOINTS).map(({ number, title }) => [number, title])),
  choice: 'The choice of the user',
  trap: 'An address that no client may follow',
}

function describeCall({
  at,
  endpoint,
  method,
  path,
  status,
  response,
  findings,
}: CallRecord): DescribedLine[] {
  const answered = status === 0 ? 'no response' : String(status)
  const text = `${at.slice(11, 19)}  ${endpoint} ${TITLES[endpoint] ?? ''}: ${method} ${path} ${answered}${answerOf(response)}`
  const isWrong = status >= 400 || status === 0
  return [isWrong ? { text, tone: 'error' } : { text }, ...findings.flatMap(describeFinding)]
}

const describeFinding = ({ rule, level, message, hint }: Finding): DescribedLine[] => [
  { text: `  ${level} ${rule}: ${message}`, tone: level },
  { text: `    To mend it: ${hint}` },
]

const MAX_ANSWER = 100

/** ` to http://localhost:3000/callback with id_token, state`, or the description of a refusal. */
function answerOf(response: unknown): string {
  if (!isJsonObject(response)) return ''
  const { location, page, error, error_description: description } = response
  const text = [error, description].filter((part) => typeof part === 'string').join(': ')
  if (typeof location === 'string') return ` to ${redirectOf(location)}`
  if (text !== '') return ` ${shortened(text)}`
  return typeof page === 'string' ? ` page "${shortened(page)}"` : ''
}

/**
 * The redirect URL with the names of its parameters, but without their values. Only the value of
 * `error` is shown, because it is short.
 */
function redirectOf(location: string): string {
  const { address, parameters } = splitUrl(location)
  const names = parameters.map(([name, value]) => (name === 'error' ? `error=${value}` : name))
  return shortened(address) + (names.length === 0 ? '' : ` with ${shortened(names.join(', '))}`)
}

const shortened = (text: string) =>
  text.length > MAX_ANSWER ? `${text.slice(0, MAX_ANSWER)}…` : text
