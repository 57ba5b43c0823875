import { snakeCased } from '../../../service/text/camel-case.ts'
import {
  type ExpectedAnswer,
  type FieldValue,
  isRequest,
  type Needs,
  type RecordedRequest,
  type RecordedStep,
  type Recording,
} from '../recording.ts'
import { callComment, fileHeading, recordingTitle } from './file-heading.ts'

const SECRET = 'a-secret-of-this-test'

/**
 * Writes a flow as a test file for pytest and requests. The test creates a tenant in a running
 * sandbox.
 */
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
      (persona) =>
        `sandbox.control("PUT", ${literal(`/personas/${persona.name}`)}, ${literal(persona)})`,
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

/**
 * A JSON value as a Python literal. Lone surrogates become U+FFFD, because Python cannot encode
 * them.
 */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string')
    return JSON.stringify(value.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${literal(name)}: ${literal(member)}`).join(', ')}}`
}

function stepLines(step: RecordedStep): string[] {
  if (!isRequest(step)) return [`sandbox.control("POST", "/clock", ${literal(step.move)})`]
  const { call, flow, decision, name, expected } = step
  const decided = { flow, persona: decision?.persona, outcome: decision?.outcome }
  const sent = `sandbox.send(${[literal(call.path), ...argumentsOf(step)].join(', ')})`
  return [
    '',
    ...(decision ? [`sandbox.control("POST", "/expectations", ${literal(decided)})`] : []),
    `# ${callComment(step)}`,
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
  if (caller === 'browser')
    return [`query=${list}`, ...(accept === undefined ? [] : [`accept=${literal(accept)}`])]
  return [body ? `body=${literal(body)}` : `form=${list}`, ...CREDENTIALS[credentials]]
}

function fieldText(value: FieldValue): string {
  if (value.kind === 'text') return literal(value.text)
  if (value.kind === 'issued') return value.issued
  return value.isRight ? 'CLIENT_SECRET' : '"a wrong secret"'
}

function expectLines(
  name: string,
  expected: Exclude<ExpectedAnswer, { kind: 'dropped' }>,
): string[] {
  if (expected.kind === 'any') return [`assert ${name}.status_code < 400`]
  const { status, error } = expected
  const ofStatus = `assert ${name}.status_code == ${status}`
  if (expected.kind === 'reply') {
    return [
      ofStatus,
      ...(error === undefined ? [] : [`assert ${name}.json()["error"] == ${literal(error)}`]),
    ]
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

/** The part of a pytest file before its test. */
const PYTHON_SUPPORT = `
class Sandbox:
    """A tenant: a sandbox of its own, with its base URL, clock, personas and flows."""

    def __init__(self, url):
        self.url = url

    def control(self, method, path, body=None):
        token = os.environ.get("AGEKEY_SANDBOX_CONTROL_TOKEN")
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        reply = requests.request(method, f"{self.url}/_sandbox{path}", json=body, headers=headers, timeout=10)
        assert reply.ok, reply.text

    def send(self, path, query=None, form=None, body=None, auth=None, token=None, accept=None):
        """Sends a request as the browser or the server of the app would; a redirect is not followed."""
        headers = {**({"Authorization": f"Bearer {token}"} if token else {}), **({"Accept": accept} if accept else {})}
        return requests.request(
            "POST" if query is None else "GET", self.url + path,
            params=query, data=form, json=body, auth=auth, headers=headers, allow_redirects=False, timeout=10,
        )


@pytest.fixture
def sandbox():
    root = Sandbox(os.environ.get("AGEKEY_SANDBOX_URL", "http://localhost:2435"))
    tenant = f"test-{uuid.uuid4()}"
    root.control("PUT", f"/tenants/{tenant}", SETTINGS)
    yield Sandbox(f"{root.url}/t/{tenant}")
    root.control("DELETE", f"/tenants/{tenant}")


def callback_in(answer, place):
    """What the browser brings to the app: in the fragment or the query of an address, or as the fields of a form."""
    if place == "form":
        fields = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', answer.text)
        # As the journal keeps them: of a field that comes twice the last one.
        return list({unescape(name): unescape(value) for name, value in fields}.items())
    address = urlsplit(answer.headers["Location"])
    return parse_qsl(address.fragment if place == "fragment" else address.query, keep_blank_values=True)


def thresholds_in(callback):
    """What the id_token says; an app validates it first."""
    payload = dict(callback)["id_token"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["age_thresholds"]
`
