import type { OperationId } from '../../src/control/contract/contract.ts'

/** One call of docs/control-api.md. The calls are made in the order of the contract, each in the state that those before it left. */
export interface Example {
  /** The names in the path and the query: `/personas/teen-16?limit=1`. */
  readonly path: string
  readonly body?: unknown
  /** What to know beside the summary. */
  readonly note?: string
  /** Calls that are made before it and are not shown: operations by path and body, or a request for an age. */
  readonly before?: readonly (readonly [path: string, body?: unknown])[]
  /** Items of a list that are shown; all when absent. */
  readonly maxItems?: number
  /** Shown and run instead of the call by `curl` that method, path and body make. */
  readonly shell?: string
}

const SANDBOX = 'http://localhost:2435/_sandbox'
const FLOW =
  '/v1/oidc/use?response_type=id_token&client_id=ak_test_sandbox&scope=openid&state=my-state&nonce=my-nonce' +
  '&redirect_uri=http%3A%2F%2Flocalhost%3A3000%2Fcallback&claims=%7B%22age_thresholds%22%3A%5B18%5D%7D&sandbox_persona=teen-16'
/** The instant of every answer. A reset ends it, and each tenant has a clock of its own. */
export const FROZEN = { set: '2027-01-15T09:00:00Z', freeze: true }
const SCENARIO = {
  name: 'Gives up, then comes back',
  steps: [
    { decide: { flow: 'use', outcome: 'access_denied' } },
    { decide: { flow: 'use', persona: 'adult-passport' }, expect: { claims: { age_thresholds: [18] } } },
  ],
}
const DOCUMENT = { method: 'id_doc_scan', age: { date_of_birth: 'today - 21y + 7d' }, verified_at: 'now - 30d' }
const TURNS_21 = {
  title: 'Turns 21 in a week',
  purpose: 'Beer, but no spirits yet.',
  age_key: { signals: [{ ...DOCUMENT, provenance: '/veratad/roc' }] },
}
const WEB_SHOP = {
  client_id: 'web-shop',
  client_secret: 'not-a-real-secret',
  redirect_uris: ['https://shop.example/callback'],
}

/** By operation. An operation without an example does not compile: add the call that a reader would make first. */
export const EXAMPLES: Readonly<Record<OperationId, Example>> = {
  getHealth: {
    path: '/health',
    note: 'It needs no token. A load balancer, or `agekey-sandbox healthcheck`, asks this.',
  },
  getCatalog: { path: '/catalog', maxItems: 1 },
  listPersonas: { path: '/personas?limit=1' },
  getPersona: { path: '/personas/turns-18-tomorrow' },
  putPersona: { path: '/personas/turns-21-in-a-week', body: TURNS_21 },
  putPersonas: {
    path: '/personas',
    body: { personas: [{ name: 'turns-21-in-a-week', ...TURNS_21 }] },
    note: 'Also as YAML with `Content-Type: application/yaml`, as `personas generate` writes it: [personas.md](personas.md#make-up-many).',
  },
  deletePersona: { path: '/personas/turns-21-in-a-week' },
  evaluate: {
    path: '/evaluate',
    body: { claims: { age_thresholds: [18] }, persona: 'teen-16' },
    note: '`signals` in the place of `persona` evaluates age signals that belong to no persona.',
  },
  listExpectations: { path: '/expectations', before: [['/expectations', { flow: 'use', persona: 'child-12' }]] },
  addExpectation: {
    path: '/expectations',
    body: { flow: 'use', persona: 'teen-16', outcome: 'id_token.expired', match: { state: 'my-state' } },
    note: '`match` limits it to the requests of one client, `state` or `nonce`. `times: 3` decides three requests.',
  },
  removeExpectation: { path: '/expectations/EXPECTATION' },
  clearExpectations: { path: '/expectations' },
  showActAs: {
    path: '/act-as/teen-16',
    note: 'Open it in the browser of a tester: it is safe to follow, and the button makes the call.',
  },
  actAs: {
    path: '/act-as/teen-16?outcome=access_denied',
    note: 'The cookies are for the browser that makes the call; `-c FILE` keeps them for curl.',
  },
  stopActing: { path: '/act-as' },
  listScenarios: { path: '/scenarios', before: [['/scenarios', SCENARIO]] },
  armScenario: { path: '/scenarios', body: { ...SCENARIO, name: 'Another one' } },
  getScenario: {
    path: '/scenarios/SCENARIO?wait=1&after=0',
    note: '`wait` is a long poll: the answer comes as soon as the revision is another one than `after`.',
  },
  removeScenario: { path: '/scenarios/SCENARIO' },
  clearScenarios: { path: '/scenarios' },
  listFlows: {
    path: '/flows?state=my-state&wait=5',
    before: [[FLOW]],
    note: 'A test in any language waits for the flow of its `state` like this.',
  },
  getFlow: { path: '/flows/f1', note: 'With `?as=vitest` it answers a file: [recordings.md](recordings.md).' },
  exportFlow: { path: '/flows/f1/as/mermaid' },
  streamEvents: {
    path: '/events',
    note: 'Open until the reader goes; a comment line comes every 15 seconds.',
    shell: `curl -sN --max-time 3 ${SANDBOX}/events &
sleep 1
curl -s -X POST ${SANDBOX}/reset -H 'Content-Type: application/json'
wait`,
  },
  getCoverage: {
    path: '/coverage',
    maxItems: 1,
    note: 'Each side with the count 0 says what closes the gap. Several processes behind one address count each for itself.',
  },
  clearCoverage: { path: '/coverage' },
  nameCoverageTest: { path: '/coverage/test', body: { name: 'a teen stays out' } },
  getClock: { path: '/clock', before: [['/clock', FROZEN]] },
  moveClock: {
    path: '/clock',
    body: { advance: 91 },
    note: 'Also `{"set": "2027-01-31T12:00:00Z"}`, `{"freeze": true}` and `{"reset": true}`.',
  },
  rotateKeys: { path: '/keys/rotate', body: { stage: 'publish' } },
  reset: { path: '/reset' },
  listTenants: { path: '/tenants', before: [['/clock', FROZEN]] },
  getTenant: { path: '/tenants/ci-1', before: [['/t/ci-1/_sandbox/clock', FROZEN]] },
  putTenant: {
    path: '/tenants/ci-2',
    before: [['/t/ci-2/_sandbox/clock', FROZEN]],
    body: { persona: 'adult-passport', clients: [WEB_SHOP], lifetimes: { code: 60 } },
    note: 'Its base URL is `http://localhost:2435/t/ci-2`. What is left out stays as it is.',
  },
  deleteTenant: { path: '/tenants/ci-2' },
}

/** Calls that are refused, with what they show. */
export const REFUSALS = [
  {
    sentence: 'An unknown name: `suggestions` holds the nearest ones.',
    command: `curl -s ${SANDBOX}/expectations -H 'Content-Type: application/json' -d '{"flow": "use", "persona": "teen16"}'`,
  },
  {
    sentence: 'A body that does not fit: the member, what came and what is allowed. Nothing has changed.',
    command: `curl -s ${SANDBOX}/clock -H 'Content-Type: application/json' -d '{"advance": "an hour"}'`,
  },
  {
    sentence: 'Claims that break a rule of the service: the findings are those that a request would get.',
    command: `curl -s ${SANDBOX}/evaluate -H 'Content-Type: application/json' \\
  -d '{"persona": "teen-16", "claims": {"age_thresholds": ["18"]}}'`,
  },
]
