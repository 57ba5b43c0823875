import { snakeCased } from '../../../files/camel-case.ts'
import {
  type ExpectedAnswer,
  type FieldValue,
  isRequest,
  type Needs,
  type RecordedRequest,
  type RecordedStep,
  type Recording,
} from '../recording.ts'
import { fileHeading, oneLine, recordingTitle } from './file-heading.ts'
import { PYTHON_SUPPORT } from './python-support.ts'

const SECRET = 'a-secret-of-this-test'

/** A flow as a test file for pytest with requests, in a tenant of its own of a sandbox that runs. */
export function pytestText(recording: Recording): string {
  const { flow, needs, steps } = recording
  const { profile, client, personas } = needs
  const heading = fileHeading(recording, {
    use: [
      `Run it with pytest and requests: AGEKEY_SANDBOX_URL=http://localhost:2435 pytest test_${flow.id}.py`,
      ...(profile === undefined ? [] : [`That sandbox has to run with --profile ${profile}.`]),
    ],
  })
  const body = [
    ...personas.map(
      (persona) => `sandbox.control("PUT", ${literal(`/personas/${persona.name}`)}, ${literal(persona)})`,
    ),
    ...steps.flatMap(stepLines),
  ]
  return `${heading.map((line) => `# ${line}\n`).join('')}import base64
import json
import os
import re
import uuid
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
import requests

CLIENT_ID = ${literal(client?.clientId ?? flow.client_id ?? '')}
# The client of this test; its secret is not that of the flow.
CLIENT_SECRET = ${literal(SECRET)}
SETTINGS = ${literal(settingsOf(needs))}

${PYTHON_SUPPORT}

def test_${flow.id}(sandbox):
    # ${recordingTitle(recording)}
${body.map((line) => (line === '' ? '\n' : `    ${line}\n`)).join('')}${body.length === 0 ? '    pass\n' : ''}`
}

const settingsOf = ({ client, lifetimes, slowReplySeconds, readings }: Needs) => ({
  ...(client && {
    clients: [
      {
        client_id: client.clientId,
        client_secret: SECRET,
        redirect_uris: client.redirectUris,
        ...(client.signingAlg && { signing_alg: client.signingAlg }),
      },
    ],
  }),
  ...(readings && { readings }),
  ...(lifetimes && { lifetimes: snakeCased(lifetimes) }),
  ...(slowReplySeconds !== undefined && { slow_reply_seconds: slowReplySeconds }),
})

/** A value as Python: JSON but for its three words. A lone surrogate is no text of Python, so it becomes U+FFFD. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return JSON.stringify(value.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${literal(name)}: ${literal(member)}`).join(', ')}}`
}

function stepLines(step: RecordedStep): string[] {
  if (!isRequest(step)) return [`sandbox.control("POST", "/clock", ${literal(step.move)})`]
  const { title, caller, call, flow, decision, name, expected } = step
  const place = caller === 'browser' ? 'open the page that sends the browser here' : 'let its server make this call'
  const decided = { flow, persona: decision?.persona, outcome: decision?.outcome }
  const sent = `sandbox.send(${[literal(call.path), ...argumentsOf(step)].join(', ')})`
  return [
    '',
    ...(decision ? [`sandbox.control("POST", "/expectations", ${literal(decided)})`] : []),
    `# ${oneLine(`${title}, recorded ${call.at}`, 120)}. Your app goes here: ${place}.`,
    ...(expected.kind === 'dropped'
      ? ['with pytest.raises(requests.RequestException):', `    ${sent}`]
      : [`${name} = ${sent}`, ...expectLines(name, expected), ...issuedLines(step)]),
  ]
}

const CREDENTIALS: Readonly<Record<RecordedRequest['credentials'], readonly string[]>> = {
  none: [],
  basic: ['auth=(CLIENT_ID, CLIENT_SECRET)'],
  wrong_basic: ['auth=(CLIENT_ID, "a wrong secret")'],
  bearer: ['token=access_token'],
  wrong_bearer: ['token="no-such-token"'],
}

function argumentsOf({ fields, body, accept, caller, credentials }: RecordedRequest): string[] {
  const list = `[${fields.map(([name, value]) => `(${literal(name)}, ${fieldText(value)})`).join(', ')}]`
  if (caller === 'browser') return [`query=${list}`, ...(accept === undefined ? [] : [`accept=${literal(accept)}`])]
  return [body ? `body=${literal(body)}` : `form=${list}`, ...CREDENTIALS[credentials]]
}

function fieldText(value: FieldValue): string {
  if (value.kind === 'text') return literal(value.text)
  if (value.kind === 'issued') return value.issued
  return value.isRight ? 'CLIENT_SECRET' : '"a wrong secret"'
}

function expectLines(name: string, expected: Exclude<ExpectedAnswer, { kind: 'dropped' }>): string[] {
  if (expected.kind === 'any') return [`assert ${name}.status_code < 400`]
  const { status, error } = expected
  const ofStatus = `assert ${name}.status_code == ${status}`
  if (expected.kind === 'reply') {
    return [ofStatus, ...(error === undefined ? [] : [`assert ${name}.json()["error"] == ${literal(error)}`])]
  }
  const { place, names, thresholds } = expected
  return [
    ofStatus,
    `${name}_callback = callback_in(${name}, ${literal(place)})`,
    `assert [key for key, _ in ${name}_callback] == ${literal(names)}`,
    ...(error === undefined ? [] : [`assert dict(${name}_callback)["error"] == ${literal(error)}`]),
    ...(thresholds ? [`assert thresholds_in(${name}_callback) == ${literal(thresholds)}`] : []),
  ]
}

function issuedLines({ name, issues, expected }: RecordedRequest): string[] {
  if (issues === undefined) return []
  return expected.kind === 'callback'
    ? [`${issues} = dict(${name}_callback)[${literal(issues)}]`]
    : [`${issues} = ${name}.json()[${literal(issues)}]`]
}
