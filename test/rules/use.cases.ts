import { press, submit } from '../support/forms.ts'
import { useRequest } from '../support/requests.ts'
import type { RuleCase } from './rule-case.ts'

const advice = { level: 'advice' } as const
const path = '/v1/oidc/use'

/** E1, one request for each rule. */
export const USE_CASES: readonly RuleCase[] = [
  {
    rule: 'USE-01',
    breaks: 'an unknown client',
    send: (_rp, { sandbox }) => sandbox.request.get(path).query(useRequest({ client_id: 'nobody' })),
  },
  {
    rule: 'USE-02',
    breaks: 'an unregistered redirect_uri',
    send: (_rp, { sandbox }) => sandbox.request.get(path).query(useRequest({ redirect_uri: 'https://evil.example/' })),
  },
  { rule: 'USE-03', breaks: 'another scope', send: (rp) => rp.use({ scope: 'openid email' }) },
  { rule: 'USE-04', breaks: 'another response_type', send: (rp) => rp.use({ response_type: 'code' }) },
  {
    rule: 'USE-05',
    breaks: 'a code in response_type, with the upgrade scope',
    level: { spec: 'error', agekey: 'advice' },
    send: (rp, { brand }) => rp.use({ response_type: 'id_token code', scope: `openid ${brand}.upgrade` }),
  },
  { rule: 'USE-06', breaks: 'an unknown response_mode', send: (rp) => rp.use({ response_mode: 'web_message' }) },
  { rule: 'USE-07', breaks: 'no state', send: (rp) => rp.use({ state: undefined }) },
  { rule: 'USE-08', breaks: 'no nonce', send: (rp) => rp.use({ nonce: undefined }) },
  { rule: 'USE-09', breaks: 'claims that are no JSON', send: (rp) => rp.use({ claims: 'age>18' }) },
  {
    rule: 'USE-10',
    breaks: 'nonce sent twice',
    send(_rp, { sandbox }) {
      const query = new URLSearchParams(useRequest())
      query.append('nonce', 'another')
      return sandbox.request.get(path).query(String(query))
    },
  },
  {
    rule: 'USE-10',
    breaks: 'bytes that are not UTF-8',
    send: (_rp, { sandbox }) =>
      sandbox.request.get(path).query(`${new URLSearchParams(useRequest({ nonce: undefined }))}&nonce=%ff`),
  },
  { rule: 'USE-11', breaks: 'an unknown parameter', ...advice, send: (rp) => rp.use({ prompt: 'login' }) },
  { rule: 'USE-12', breaks: 'can_create=1', ...advice, send: (rp) => rp.use({ can_create: '1' }) },
  { rule: 'USE-13', breaks: 'an unknown theme', ...advice, send: (rp) => rp.use({ theme: 'blue' }) },
  {
    rule: 'USE-13',
    breaks: 'an unknown theme on Create',
    ...advice,
    send: async (rp) => rp.create(await rp.obtainRequestUri(), { theme: 'blue' }),
  },
  { rule: 'USE-14', breaks: 'a language that is no tag', ...advice, send: (rp) => rp.use({ language: 'e!n' }) },
  { rule: 'USE-15', breaks: 'learn_more=0', ...advice, send: (rp) => rp.use({ learn_more: '0' }) },
  { rule: 'USE-16', breaks: 'a colour that is none', ...advice, send: (rp) => rp.use({ text_color: 'reddish' }) },
  { rule: 'USE-23', breaks: 'a state of 5,000 bytes', send: (rp) => rp.use({ state: 's'.repeat(5_000) }) },
  { rule: 'USE-18', breaks: 'a request object', send: (rp) => rp.use({ request: 'e30.e30.' }) },
  { rule: 'USE-18', breaks: 'a request_uri', send: (rp) => rp.use({ request_uri: 'https://rp.example/request' }) },
  {
    rule: 'USE-17',
    breaks: 'an older spelling of the upgrade scope',
    level: { spec: 'error', agekey: 'advice' },
    send: (rp) => rp.use({ scope: 'openid agekey_upgrade' }),
  },
  {
    rule: 'USE-19',
    breaks: 'a plain embedded web view',
    ...advice,
    send: (_rp, { sandbox }) =>
      sandbox.request
        .get(path)
        .set(
          'User-Agent',
          'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 Chrome/126 Mobile Safari/537.36',
        )
        .query(useRequest()),
  },
  {
    rule: 'USE-20',
    breaks: 'an iframe, whose permission no request says',
    ...advice,
    send: (_rp, { sandbox }) => sandbox.request.get(path).set('Sec-Fetch-Dest', 'iframe').query(useRequest()),
  },
  {
    rule: 'USE-21',
    breaks: 'a text colour that is too light to be read',
    ...advice,
    send: (rp) => rp.use({ text_color: '#aaa' }),
  },
  {
    rule: 'USE-22',
    breaks: 'a font that the device lacks, as a script of the page says',
    ...advice,
    async send(_rp, { sandbox }) {
      const page = await sandbox.request.get(path).query(useRequest({ font: 'No Such Font' }))
      const form = press(page.text, 'use')
      form.fields.set('font', 'missing')
      return submit(sandbox, form)
    },
  },
]
