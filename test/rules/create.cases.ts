import { basic, type Changes, createRequest, pushedRequest } from '../support/requests.ts'
import type { RuleCase } from './rule-case.ts'

const tolerated = { level: { spec: 'error', agekey: 'advice' } } as const
const advice = { level: 'advice' } as const

const push = (rule: RuleCase['rule'], breaks: string, changes: Changes): RuleCase => ({
  rule,
  breaks,
  send: (rp) => rp.push(changes),
})

/** E3 for a request that was pushed well; the sandbox answers by a page when nothing may be redirected. */
const create = (rule: RuleCase['rule'], breaks: string, changes: Changes): RuleCase => ({
  rule,
  breaks,
  send: async (rp, { sandbox }) =>
    sandbox.request.get('/v1/oidc/create').query(createRequest(await rp.obtainRequestUri(), changes)),
})

/** E2 and E3, one request for each rule. */
export const CREATE_CASES: readonly RuleCase[] = [
  {
    rule: 'PAR-01',
    breaks: 'a body that is called JSON',
    send: (_rp, { sandbox }) =>
      sandbox.request
        .post('/v1/oidc/create/par')
        .set('Content-Type', 'application/json')
        .send(String(new URLSearchParams(pushedRequest()))),
  },
  push('PAR-02', 'a wrong secret', { client_secret: 'wrong' }),
  push('PAR-03', 'another scope', { scope: 'profile' }),
  {
    rule: 'PAR-04',
    breaks: 'the upgrade scope',
    ...tolerated,
    send: (rp, { brand }) => rp.push({ scope: `openid ${brand}.upgrade` }),
  },
  push('PAR-05', 'another response_type', { response_type: 'code' }),
  push('PAR-06', 'another type', { type: 'payment' }),
  { ...push('PAR-07', 'no type', { type: undefined }), ...tolerated },
  push('PAR-08', 'an unregistered redirect_uri', { redirect_uri: 'https://evil.example/' }),
  push('PAR-09', 'no state', { state: undefined }),
  push('PAR-10', 'authorization_details that are no JSON', { authorization_details: 'none' }),
  {
    rule: 'PAR-11',
    breaks: 'state sent twice',
    send(_rp, { sandbox }) {
      const form = new URLSearchParams(pushedRequest())
      form.append('state', 'another')
      return sandbox.request.post('/v1/oidc/create/par').send(String(form))
    },
  },
  { ...push('PAR-12', 'an unknown field', { login_hint: 'x' }), ...advice },
  push('PAR-15', 'a state of 5,000 bytes', { state: 's'.repeat(5_000) }),
  {
    rule: 'PAR-13',
    breaks: 'an Authorization header beside the credentials in the form',
    send: (_rp, { sandbox }) =>
      sandbox.request
        .post('/v1/oidc/create/par')
        .set('Authorization', basic('ak_test_sandbox', 'sk_test_sandbox'))
        .type('form')
        .send(pushedRequest()),
  },
  push('PAR-14', 'a request object', { request: 'e30.e30.' }),
  push('PAR-14', 'a request_uri', { request_uri: 'urn:svc:request:x' }),
  create('CRE-14', 'a request object', { request: 'e30.e30.' }),
  create('CRE-15', 'a language of 5,000 bytes', { language: `en${'-variant'.repeat(625)}` }),
  create('CRE-01', 'an unknown client', { client_id: 'nobody' }),
  create('CRE-02', 'an unregistered redirect_uri', { redirect_uri: 'https://evil.example/' }),
  create('CRE-03', 'a redirect_uri other than the pushed one', { redirect_uri: 'http://localhost:3000/other' }),
  create('CRE-04', 'another scope', { scope: 'profile' }),
  {
    rule: 'CRE-05',
    breaks: 'the upgrade scope',
    ...tolerated,
    send: async (rp, { brand }) => rp.create(await rp.obtainRequestUri(), { scope: `openid ${brand}.upgrade` }),
  },
  create('CRE-06', 'another response_type', { response_type: 'id_token' }),
  create('CRE-07', 'no request_uri', { request_uri: undefined }),
  create('CRE-08', 'a request_uri that was never issued', { request_uri: 'urn:svc:request:guess' }),
  {
    rule: 'CRE-09',
    breaks: 'a request_uri of 90 seconds ago',
    async send(rp, { sandbox }) {
      const requestUri = await rp.obtainRequestUri()
      await sandbox.clock.advance(90)
      return rp.create(requestUri)
    },
  },
  {
    rule: 'CRE-10',
    breaks: 'a request_uri that served a decision',
    async send(rp) {
      const requestUri = await rp.obtainRequestUri()
      await rp.create(requestUri)
      return rp.create(requestUri)
    },
  },
  {
    rule: 'CRE-11',
    breaks: 'scope sent twice',
    async send(rp, { sandbox }) {
      const query = new URLSearchParams(createRequest(await rp.obtainRequestUri()))
      query.append('scope', 'openid')
      return sandbox.request.get('/v1/oidc/create').query(String(query))
    },
  },
  {
    rule: 'CRE-12',
    breaks: 'an unknown parameter',
    ...advice,
    send: async (rp) => rp.create(await rp.obtainRequestUri(), { state: 'x' }),
  },
  {
    rule: 'CRE-13',
    breaks: 'client_id and request_uri alone',
    ...tolerated,
    send: async (rp) =>
      rp.create(await rp.obtainRequestUri(), { scope: undefined, response_type: undefined, redirect_uri: undefined }),
  },
]
