import { isJsonObject } from '../../../age/json-object.ts'
import type { RecordedResponse } from '../../journal/call-record.ts'
import { isRequest, type RecordedRequest, type RecordedStep, type Recording } from '../recording.ts'
import { fileHeading, oneLine } from './file-heading.ts'

/** A flow as a sequence diagram between browser, app and sandbox. */
export function mermaidText(recording: Recording): string {
  const heading = fileHeading(recording, {
    use: ['To show it, put it in a code block of Markdown whose first line ends with mermaid.'],
  })
  const lines = [
    ...heading.map((line) => `%% ${commented(line)}`),
    'participant B as Browser',
    'participant A as App',
    'participant S as Sandbox',
    ...recording.steps.flatMap(stepLines),
  ]
  return `sequenceDiagram\n${lines.map((line) => `  ${line}\n`).join('')}`
}

/** Braces begin a directive, also in a comment. */
const commented = (text: string) => text.replaceAll(/[{}%]/g, ' ')

function stepLines(step: RecordedStep): string[] {
  if (!isRequest(step)) {
    const moves = Object.entries(step.move).map(([name, value]) => `${name} ${value}`)
    return [`Note over B,S: ${shown(`clock: ${moves.join(', ')}`)}`]
  }
  const { caller, call, decision, title } = step
  const from = caller === 'browser' ? 'B' : 'A'
  const decided = [decision?.persona, decision?.outcome].filter((text) => text !== undefined)
  const broken = call.findings.filter(({ level }) => level === 'error').map(({ rule }) => rule)
  return [
    ...(caller === 'browser' ? [`A->>B: ${shown(`redirect to ${title}`)}`] : []),
    `${from}->>S: ${shown(`${title} (${namesOf(step).join(', ')})`)}`,
    ...(decided.length === 0 ? [] : [`Note over S: ${shown(`decided: ${decided.join(', ')}`)}`]),
    ...(broken.length === 0 ? [] : [`Note over S: ${shown(`broken: ${broken.join(', ')}`)}`]),
    ...answerLines(step, from),
  ]
}

/** Names of what was sent; the state with its value, by which a reader finds the flow. */
const namesOf = ({ fields, body }: RecordedRequest): string[] =>
  body
    ? Object.keys(body)
    : fields.map(([name, value]) => (name === 'state' && value.kind === 'text' ? `state=${value.text}` : name))

function answerLines({ expected, call }: RecordedRequest, to: string): string[] {
  switch (expected.kind) {
    case 'dropped':
      return [`S--x${to}: ${shown('the connection is closed without a response')}`]
    case 'callback': {
      const { names, error = '', thresholds = {}, status, place } = expected
      const answers = Object.entries(thresholds).map(([age, isMet]) => `${age} ${isMet ? 'yes' : 'no'}`)
      const details: Readonly<Record<string, string>> = {
        error: `error=${error}`,
        ...(answers.length > 0 && { id_token: `id_token: ${answers.join(', ')}` }),
      }
      const brought = names.map((name) => (Object.hasOwn(details, name) ? details[name] : name))
      return [`S-->>B: ${shown(`${status}, callback in the ${place}`)}`, `B->>A: ${shown(brought.join(', '))}`]
    }
    case 'reply':
    case 'any':
      return [`S-->>${to}: ${shown(`${call.status} ${replyText(call.response)}`)}`]
  }
}

function replyText(response: RecordedResponse): string {
  if (response.kind === 'page') return `page ${response.error?.code ?? response.title}`
  if (response.kind !== 'json' || !isJsonObject(response.value)) return ''
  const { error } = response.value
  return typeof error === 'string' ? `error=${error}` : Object.keys(response.value).join(', ')
}

/** Characters of one message. */
const MAX_TEXT = 160

/** A text of a diagram: every character that could mean something to the parser is an entity code. */
const shown = (text: string): string =>
  oneLine(text, MAX_TEXT).replaceAll(/[^\w .,/=()-]/gu, (char) => `#${char.codePointAt(0)};`) || '-'
