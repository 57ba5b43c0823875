import { shellWord } from '../../../service/text/shell-word.ts'
import {
  type FieldValue,
  isRequest,
  type RecordedRequest,
  type RecordedStep,
  type Recording,
} from '../recording.ts'
import { fileHeading, oneLine } from './file-heading.ts'

/** Writes a flow as a shell script that uses curl for decisions, moves of the clock and calls. */
export function curlText(recording: Recording): string {
  const { flow, baseUrl, needs, steps } = recording
  const heading = fileHeading(recording, {
    use: [
      `Run it: AGE_CLIENT_SECRET=... bash ${flow.id}.sh`,
      'AGEKEY_SANDBOX_URL names another sandbox, AGEKEY_SANDBOX_CONTROL_TOKEN its control token.',
    ],
  })
  const personas = needs.personas.map((persona) =>
    controlCall('PUT', `/personas/${persona.name}`, persona),
  )
  const places = [
    'base="$(printenv AGEKEY_SANDBOX_URL || true)"',
    `[ -n "$base" ] || base=${shellWord(baseUrl)}`,
    'secret="$(printenv AGE_CLIENT_SECRET || true)"',
    `client=${shellWord(needs.client?.clientId ?? flow.client_id ?? '')}`,
    ...(steps.some(sendsSecret) ? [SECRET_CHECK] : []),
  ]
  return [
    '#!/usr/bin/env bash',
    ...heading.map((line) => `# ${line}`),
    'set -eu',
    ...places,
    FUNCTIONS,
    ...personas,
    ...steps.flatMap(stepLines),
    '',
  ].join('\n')
}

const SECRET_CHECK =
  '[ -n "$secret" ] || { echo "AGE_CLIENT_SECRET is missing: the secret of $client" >&2; exit 2; }'

const FUNCTIONS = String.raw`control() {
  curl -sS -f -o /dev/null -X "$1" -H 'Content-Type: application/json' \
    ${'${'}AGEKEY_SANDBOX_CONTROL_TOKEN:+-H "Authorization: Bearer $AGEKEY_SANDBOX_CONTROL_TOKEN"} --data "$3" "$base/_sandbox$2"
}
# Shows the answer of a call, and ends the script when it has another status than it had.
shows() {
  printf '%s\n\n' "$answer"
  printf '%s' "$answer" | head -n 1 | grep -q " $1" || { echo "expected status $1, as it was recorded" >&2; exit 1; }
}
# What a call issued, from its answer: an address, the fields of a form, or JSON.
issued() {
  printf '%s' "$answer" | sed -nE -e 's/.*[?&#]'"$1"'=([^&[:space:]]*).*/\1/p' \
    -e 's/.*name="'"$1"'" value="([^"]*)".*/\1/p' -e 's/.*"'"$1"'": *"([^"]*)".*/\1/p' | head -n 1
}`

/** Whether a call sends the right secret of the client. */
const sendsSecret = (step: RecordedStep): boolean =>
  isRequest(step) &&
  (step.credentials === 'basic' ||
    step.fields.some(([, value]) => value.kind === 'client_secret' && value.isRight))

const controlCall = (method: string, path: string, body: unknown) =>
  `control ${method} ${shellWord(path)} ${shellWord(JSON.stringify(body))}`

function stepLines(step: RecordedStep): string[] {
  if (!isRequest(step)) return [controlCall('POST', '/clock', step.move)]
  const { title, flow, decision, call, issues, expected } = step
  const hasStatus = expected.kind === 'reply' || expected.kind === 'callback'
  const decided = { flow, persona: decision?.persona, outcome: decision?.outcome }
  // The script continues if the connection is closed before or during a response.
  return [
    '',
    `# ${oneLine(`${title}: was answered with ${call.status}`, 120)}`,
    ...(decision ? [controlCall('POST', '/expectations', decided)] : []),
    `answer=$(${requestText(step)}${expected.kind === 'dropped' ? ' || true' : ''})`,
    hasStatus ? `shows ${expected.status}` : String.raw`printf '%s\n\n' "$answer"`,
    ...(issues === undefined ? [] : [`${issues}=$(issued ${issues})`]),
  ]
}

const CREDENTIALS: Readonly<Record<RecordedRequest['credentials'], readonly string[]>> = {
  none: [],
  basic: ['-u "$client:$secret"'],
  wrong_basic: ['-u "$client:a wrong secret"'],
  bearer: ['-H "Authorization: Bearer $access_token"'],
  wrong_bearer: ["-H 'Authorization: Bearer no-such-token'"],
}

function requestText({ call, caller, fields, body, accept, credentials }: RecordedRequest): string {
  const pairs = fields.map(
    ([name, value]) =>
      `--data-urlencode ${shellWord(`${encodeURIComponent(name)}=`)}${fieldText(value)}`,
  )
  const json = body && [
    "-H 'Content-Type: application/json'",
    `--data ${shellWord(JSON.stringify(body))}`,
  ]
  const isEmptyForm = caller === 'server' && pairs.length === 0
  return [
    `curl -sS -i "$base"${shellWord(call.path)}`,
    ...(caller === 'browser' ? ['-G'] : []),
    ...(accept === undefined ? [] : [`-H ${shellWord(`Accept: ${accept}`)}`]),
    ...CREDENTIALS[credentials],
    ...(json ?? (isEmptyForm ? ["--data ''"] : pairs)),
  ].join(' \\\n  ')
}

function fieldText(value: FieldValue): string {
  if (value.kind === 'text') return shellWord(value.text)
  if (value.kind === 'issued') return `"$${value.issued}"`
  return value.isRight ? '"$secret"' : "'a wrong secret'"
}
