import { beforeEach, expect, test } from 'vitest'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
beforeEach(async () => {
  await sandbox.request.post('/_sandbox/clock').send({ set: '2029-05-05', freeze: true })
})

const stateOf = () =>
  Promise.all([
    sandbox.clock.state(),
    sandbox.personas.list(),
    sandbox.expectations.list(),
    sandbox.scenarios.list(),
    sandbox.request.get('/_sandbox/tenants').then(({ body }) => body),
  ])

const CLAIMS = { age_thresholds: [18] }
const MINE = { title: 'Mine', purpose: 'A test.' }
const named = (name: string, changes: object = {}) => ({ name, ...MINE, ...changes })
const SHOP = { client_id: 'shop', client_secret: 's', redirect_uris: ['https://shop.example/cb'] }
const WAIT = { name: 'A', steps: [{ await: 'par' }] }
const withUris = (count: number) => ({ ...SHOP, redirect_uris: Array(count).fill('') })

const BAD_BODIES: readonly [call: string, body: object, message: string][] = [
  ['post clock', { set: 'tomorrow' }, 'set: must be an ISO 8601 date or date-time'],
  ['post clock', { set: '0000-12-31' }, 'years 0001 to 9999'],
  ['post clock', { reset: false }, 'reset: must be true, or left out, found false'],
  ['post clock', { freeze: 'yes' }, 'freeze: expected true or false'],
  ['post clock', { advnace: 1 }, 'Did you mean "advance"?'],
  ['post clock', { set: '9999-12-31', advance: 1e9 }, 'year 9999'],
  ['post expectations', { flow: 'use', outcome: 'acess_denied' }, 'Did you mean "access_denied"?'],
  ['post expectations', { flow: 'use', persona: 'teen-61' }, 'Did you mean "teen-16"?'],
  ...['client_id', 'state', 'nonce'].map((name): (typeof BAD_BODIES)[number] => {
    const expectation = { flow: 'use', persona: 'teen-16', match: { [name]: 'x'.repeat(4_097) } }
    return [
      'post expectations',
      expectation,
      `match.${name}: is 4097 bytes long; at most 4096 are taken`,
    ]
  }),
  [
    'post scenarios',
    { name: 'A', steps: [{ decide: { flow: 'use', persona: 'teen-61' } }] },
    'Did you mean "teen-16"?',
  ],
  ['post scenarios', { ...WAIT, client: 'nobody' }, 'client: no client "nobody" is registered'],
  ['put personas/mine', named('other'), 'name: "other" is not the name in the path'],
  ['put personas/mine', { ...MINE, age_keys: {} }, 'Did you mean "age_key"?'],
  ['put personas/Not%20a%20name', MINE, 'must be 1 to 63 lower-case letters'],
  [
    'put personas',
    { personas: [named('mine'), named('other', { age_keys: {} })] },
    'personas[1].age_keys',
  ],
  [
    'put personas',
    { personas: [named('a'), named('a')] },
    'personas[1].name: "a" is the name of personas[0] too',
  ],
  [
    'put personas',
    { personas: Array.from({ length: 101 }, (_, n) => named(`n-${n}`)) },
    'expected at most 100 items',
  ],
  ['post evaluate', { claims: CLAIMS, persona: 'teen-16', signals: [] }, 'give exactly one'],
  ['post evaluate', { persona: 'teen-16' }, 'claims: is missing'],
  ['post evaluate', { claims: CLAIMS, persona: 'teen-61' }, 'teen-16'],
  [
    'post evaluate',
    { claims: { ...CLAIMS, allowed_method: [] }, persona: 'teen-16' },
    'allowed_method',
  ],
  [
    'post evaluate',
    { claims: CLAIMS, persona: 'teen-16', now: 'soon' },
    'now: must be an ISO 8601',
  ],
  ['put tenants/one', { persona: 'teen-61' }, 'teen-16'],
  ['put tenants/one', { outcome: 'acess_denied' }, 'access_denied'],
  ['put tenants/one', { clients: [{ ...SHOP, persona: 'teen-61' }] }, 'teen-16'],
  ['put tenants/one', { clients: [SHOP, SHOP] }, 'clients: "shop" is declared twice'],
  [
    'put tenants/one',
    { clients: Array(201).fill(0) },
    'clients: expected at most 200 items, found a list of 201',
  ],
  ['put tenants/one', { clients: Array(200).fill(0) }, 'clients[0]: '],
  [
    'put tenants/one',
    { clients: [withUris(101)] },
    '[0].redirect_uris: expected at most 100 items, found a list',
  ],
  ['put tenants/one', { clients: [withUris(100)] }, 'clients[0].redirect_uris[0]: '],
  ['put tenants/No_Name', {}, 'lowercase letters, digits and hyphens'],
  ['post reset', { clock: false }, 'body'],
]

test.each(BAD_BODIES)(
  '%s with the wrong body %j changes nothing, and answers 400: %s',
  async (call, body, message) => {
    const [method = '', path] = call.split(' ')
    const before = await stateOf()
    const answer = await sandbox.request[method as 'put' | 'post'](`/_sandbox/${path}`).send(body)
    expect(answer.body).toMatchObject({ error_description: expect.stringContaining(message) })
    expect(answer.status).toBe(400)
    expect(await stateOf()).toEqual(before)
  },
)

test.each([
  [
    'personas',
    'text/plain',
    'personas: []',
    415,
    'must be application/json or application/yaml, not text/plain',
  ],
  ['personas', 'application/yaml', 'personas: [', 400, 'body:'],
  ['personas', 'application/yaml', 'personas:\n\t- x', 400, 'body:2: a tab indents this line'],
  ['personas/mine', 'application/yaml', 'title: T', 400, 'purpose: '],
  [
    'tenants/mine',
    'application/yaml',
    'persona: teen-16',
    415,
    'must be application/json, not application/yaml',
  ],
])('PUT %s refuses a body of %s: %j', async (path, type, text, status, message) => {
  const answer = await sandbox.request
    .put(`/_sandbox/${path}`)
    .set('Content-Type', type)
    .send(text)
    .expect(status)
  expect(answer.body.error_description).toContain(message)
})

const TWICE =
  'body: it must be a JSON object, is JSON inside a string: it was encoded twice; encode it once'

test.each([
  [JSON.stringify('{"persona":"teen-16"}'), TWICE],
  [JSON.stringify(JSON.stringify('[]')), TWICE],
  ["{'persona': 'teen-16'}", '(write double quotes instead of single ones)'],
  [
    '{\\"persona\\":\\"teen-16\\"}',
    '(it was escaped twice, as text inside of text; send it without the backslashes)',
  ],
  [
    '{&quot;persona&quot;:1}',
    '(quotation marks were escaped for HTML; send the text as it was before)',
  ],
])('POST evaluate names what spoiled the JSON %s', async (text, message) => {
  const { body } = await sandbox.request
    .post('/_sandbox/evaluate')
    .type('json')
    .send(text)
    .expect(400)
  expect(body.error_description).toContain(message)
})

const LIMIT = (limit: string) =>
  `limit: must be a whole number from 1 to 2000, not ${JSON.stringify(limit)}`

test.each<[query: string, message: string]>([
  ...['wait=61', 'wait=soon', 'after=2', 'since=yesterday', 'flow=ues'].map(
    (query): [string, string] => [query, `${query.split('=')[0]}: `],
  ),
  ['state=a&state=b', 'state'],
  [`state=${'s'.repeat(4_097)}`, 'state: is 4097 bytes long; at most 4096 are taken'],
  ['outcom=verified', 'Did you mean "outcome"?'],
  ['persona=teen-61&wait=60', 'teen-16'],
  ['outcome=acess_denied&wait=60', 'access_denied'],
  ...['0', '2001', '1.5', ''].map((limit): [string, string] => [`limit=${limit}`, LIMIT(limit)]),
])('GET flows refuses the query %s at once, with "%s"', async (query, message) => {
  const { body } = await sandbox.request.get(`/_sandbox/flows?${query}`).expect(400)
  expect(body).toMatchObject({
    error: 'invalid_request',
    error_description: expect.stringContaining(message),
  })
})

test('A control call for an unknown object gets 404', async () => {
  for (const path of ['personas/teen-61', 'flows/f7', 'scenarios/none', 'tenants/none'])
    expect((await sandbox.request.get(`/_sandbox/${path}`).expect(404)).body).toMatchObject({
      error: 'not_found',
    })
})

test('A name that no tenant can have gets 400', async () => {
  for (const name of ['Upper', '-x', 'a'.repeat(64), 'default'])
    await sandbox.request.get(`/t/${name}/.well-known/jwks.json`).expect(400)
})
