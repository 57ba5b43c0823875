import { callbackOf } from '../../../sandbox/journal/call-record.ts'
import { summarizeFlow } from '../../../sandbox/journal/explain-flow.ts'
import type { RecordedRequest, Recording } from '../recording.ts'

/** Maximum length of a line, because a summary repeats texts that an app sent. */
const MAX_LINE = 160

/**
 * The comment at the top of each file: the origin and result of the flow, and what is left out.
 * @param options.use how to run the file, in lines
 * @param options.holdsToken whether the format contains the id_token of the flow
 */
export function fileHeading(
  { flow, version, leftOut }: Recording,
  { use, holdsToken = false }: { readonly use: readonly string[]; readonly holdsToken?: boolean },
): string[] {
  const { id, dropped_calls: dropped = 0 } = flow
  const hasToken = callbackOf(flow)?.['id_token'] !== undefined
  return [
    `Flow ${id} of agekey-sandbox ${version}, recorded ${flow.started_at}: ${summarizeFlow(flow).summary}`,
    ...use,
    ...(holdsToken && hasToken
      ? ['It holds an id_token. Secrets and access tokens are masked.']
      : []),
    ...(holdsToken && !hasToken
      ? ['It holds no id_token. Secrets and access tokens are masked.']
      : []),
    ...(holdsToken
      ? []
      : [`It holds no ${hasToken ? 'id_token (the flow had one)' : 'id_token'} and no secret.`]),
    ...(dropped > 0
      ? [`The first ${dropped} calls of the flow are missing: the journal keeps them no longer.`]
      : []),
    ...shortList(leftOut).map((line) => `Left out: ${line}`),
  ].map((line) => oneLine(line, MAX_LINE))
}

const MAX_LEFT_OUT = 10

const shortList = (lines: readonly string[]) =>
  lines.length > MAX_LEFT_OUT
    ? [...lines.slice(0, MAX_LEFT_OUT), `and ${lines.length - MAX_LEFT_OUT} more calls.`]
    : lines

/**
 * Makes a text safe for a one-line comment: line ends and invisible characters become spaces.
 * @param most maximum length, after which `...` follows
 * @example
 * ```ts
 * oneLine('a\nlong text', 6) // 'a long...'
 * ```
 */
export function oneLine(text: string, most: number): string {
  const line = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return line.length > most ? `${line.slice(0, most)}...` : line
}

/**
 * The comment of a call in a test: which call was recorded, and what to write to test an app
 * instead.
 */
export function callComment({ title, caller, call }: RecordedRequest): string {
  const place =
    caller === 'browser'
      ? 'open the page that sends the browser here'
      : 'let its server make this call'
  return `${oneLine(`${title}, recorded ${call.at}`, 120)}. Your app goes here: ${place}.`
}

/** The title of a test: `f12: use as teen-16, access_denied`. */
export function recordingTitle({ flow }: Recording): string {
  const { id, flow: kind, persona, outcome } = flow
  const details = [
    persona === undefined ? '' : ` as ${persona}`,
    outcome === undefined ? '' : `, ${outcome}`,
  ]
  return oneLine(`${id}: ${kind}${details.join('')}`, 120)
}
