import { expect, test } from 'vitest'
import { press } from '../support/forms.ts'
import type { Answer } from '../support/http-client.ts'
import { tagsOf, textOf } from '../support/markup.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, basic, createRequest, type Fields, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { expectPromises, isHosted, isPage } from './every-answer.ts'

/** Begins every value, so that a page that shows one is known. Nothing has such a name. */
const MARK = 'Zqx!'

/**
 * Each is short, because a title is cut at 100 characters, but for the one that is long on purpose.
 */
const HOSTILE = {
  'markup and quotes that end an attribute': `"><script>hacked()</script><b x="' onload='hacked()' x='`,
  'the ends of elements, a comment, references and placeholders':
    '</title></textarea></select></form><!--&quot;&lt;i&gt;&#60;i&#62;&amp $1 $& {client}',
  'writing from right to left, and control characters':
    '\u202e\u2066<i>\u200f\u0001\b\t\u000b\u001b\u007f\u0085\u2028<i>\r\n',
  'a very long text': '"><i>'.repeat(120),
}

/**
 * Visits a page of each kind where every name and value of the config and of the requests is
 * `text`.
 */
async function visitPages(text: string) {
  // RFC 6749 allows no others in the id and the secret of a client.
  const ascii = text.replace(/[^\x20-\x7e]/g, '?')
  const encoded = encodeURIComponent(text)
  const redirectUri = `https://shop.example/${encoded}?a=${encoded}`
  // The journal masks the secret wherever it stands, so it is more than the value.
  const client = { clientId: ascii, clientSecret: `${ascii} secret` }
  const sandbox = await startSandbox({
    clients: [{ ...client, name: text, redirectUris: [redirectUri] }],
  })
  const { request } = sandbox
  const party = createRelyingParty(sandbox, client)
  /** In a name `VALUE` stands for the value. */
  const visits: { name: string; path: string; answer: Answer }[] = []
  const keep =
    (method: 'get' | 'post') =>
    async (path: string, fields: Fields = {}, headers: Fields = {}) => {
      const call = request[method](path).set({ Accept: 'text/html', ...headers })
      const answer = await (method === 'get' ? call.query(fields) : call.type('form').send(fields))
      const name = `${method} ${path} ${Object.keys(fields)}`
        .replaceAll(encoded, 'VALUE')
        .replaceAll(text, 'VALUE')
      visits.push({ name, path, answer })
      return answer
    }
  const [get, post] = [keep('get'), keep('post')]
  const own = { client_id: ascii, redirect_uri: redirectUri }
  const use = useRequest({
    ...own,
    state: text,
    nonce: text,
    can_create: 'true',
    scope: 'openid svc.upgrade',
  })

  const persona = { title: text.slice(0, 100), purpose: text.slice(0, 300), group: 'Own' }
  await request.put('/_sandbox/personas/own').send(persona).expect(201)
  const match = { client_id: text, state: `${text} none`, nonce: text }
  await request
    .post('/_sandbox/expectations')
    .send({ flow: 'use', persona: 'own', match })
    .expect(201)
  await request
    .post('/_sandbox/scenarios')
    .send({
      name: text.slice(0, 200),
      steps: [{ await: 'par', expect: { state: text, [text]: text } }],
    })
    .expect(201)
  await party.push({
    [text]: text,
    scope: text,
    type: text,
    state: text,
    authorization_details: text,
  })
  await request
    .post('/v1/oidc/use/token')
    .set('Authorization', basic(text, text))
    .type('form')
    .send({ code: text })
  await request
    .get('/v1/oidc/use')
    .query({ ...use, claims: JSON.stringify({ [text]: text, allowed_methods: [text] }) })

  const presentation = { language: text, theme: text, font: text, primary_color: text }
  const choice = await get('/v1/oidc/use', { ...use, ...presentation, [text]: text })
  const transaction = press(choice.text, 'decline').fields.get('transaction') ?? ''
  await post('/v1/oidc/use/choice', { transaction, outcome: text, persona: text })
  await get('/v1/oidc/use', use, { 'Sec-Fetch-Dest': 'iframe' })
  await get('/v1/oidc/use', { ...use, sandbox_outcome: 'verified', response_mode: 'form_post' })
  await get('/v1/oidc/use', { ...use, sandbox_outcome: 'no_answer' })
  const uri = await party.obtainRequestUri({
    ...{ ...own, state: text },
    authorization_details: JSON.stringify([ageSignal()]),
  })
  await get('/v1/oidc/create', createRequest(uri, { ...own, ...presentation }))
  await get('/_sandbox/embedding', { q: text })

  const wrong = [{ client_id: `${text} unknown` }, { redirect_uri: `https://shop.example/${text}` }]
  const controls = ['persona', 'outcome', text].map((name) => ({ [`sandbox_${name}`]: text }))
  for (const changes of [...wrong, ...controls]) await get('/v1/oidc/use', { ...use, ...changes })
  await get('/v1/oidc/use', use, { Cookie: `agekey_sandbox_persona=${encoded}` })
  for (const path of [`/t/${encoded}/v1/oidc/use`, `/v1/oidc/${encoded}`]) await get(path, use)

  const at = '/_sandbox/console'
  const others = [
    'q',
    'add',
    'times',
    'set',
    'before',
    'claims',
    'change',
    'answers',
    'persona',
    'outcome',
  ]
  const fields = { ...match, ...Object.fromEntries(others.map((name) => [name, text])) }
  for (const page of [
    'flows',
    'personas',
    'playground',
    'outcomes',
    'expectations',
    'clock',
    'tenants',
    encoded,
  ])
    await get(`${at}/${page}`, fields)
  for (const { id } of await sandbox.flows.list()) await get(`${at}/flows/${id}`, fields)
  for (const form of ['clock', 'personas', 'expectations', 'sign-in'])
    await post(`${at}/${form}`, fields)
  for (const name of ['own', encoded]) await get(`/_sandbox/act-as/${name}`)
  await get('/', { q: text })

  const demo = '/_sandbox/demo'
  const cookieOf = ({ headers }: Answer) => ({
    Cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '',
  })
  await get(demo, { q: text }, { Host: 'localhost:1' })
  const refused = cookieOf(await post(`${demo}/use`, { claims: text, response_mode: text }))
  await get(
    `${demo}/callback`,
    { [text]: text, state: text, iss: text, error: text, error_description: text },
    refused,
  )
  await get(`${demo}/result`, {}, refused)
  const answered = cookieOf(await post(`${demo}/use`, { claims: '{"age_thresholds":[18]}' }))
  const parts = [{ alg: text, kid: text }, { iss: text, aud: [text], [text]: text }, 'signature']
  const id_token = parts
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  await post(`${demo}/callback`, { id_token, code: text, state: text }, answered)
  await get(`${demo}/result`, {}, answered)
  await post(`${demo}/upgrade`, { date_of_birth: text }, answered)
  return visits
}

const shows = (page: string) => `${textOf(page)} ${JSON.stringify(tagsOf(page))}`.includes(MARK)

/**
 * Elements in the order of the page, each with the names of its attributes, without the places
 * where a long word may break.
 */
const shapeOf = (page: string) =>
  tagsOf(page.replaceAll('<wbr>', '')).map(({ name, attributes }) =>
    [name, ...Object.keys(attributes)].join(' '),
  )

test('The pages show the texts of callers as plain text', async () => {
  const visits = await visitPages(`${MARK} plain text`)
  for (const { path, answer } of visits) expectPromises(path, answer)
  const pages = visits.filter(({ answer }) => isPage(answer))
  const showing = pages.filter(({ answer }) => shows(answer.text))
  expect(pages.length).toBeGreaterThan(40)
  expect(showing.length).toBeGreaterThan(35)
  expect(showing.filter(({ path }) => isHosted(path)).length).toBeGreaterThan(8)
})

test.each(Object.entries(HOSTILE))(
  'No page gets an element or an attribute from data: %s',
  async (_name, value) => {
    const pagesWith = async (text: string) => {
      const visits = (await visitPages(MARK + text)).filter(({ answer }) => isPage(answer))
      return visits.map(({ name, answer: { status, text } }) => [
        name,
        status,
        shows(text),
        shapeOf(text),
      ])
    }
    // As long as the value, also in the path of a URL, because pages show the beginning of a long
    // text only.
    const harmless = value.replaceAll(/[<>"'&]/g, '`')
    expect(await pagesWith(value)).toEqual(await pagesWith(harmless))
  },
)
