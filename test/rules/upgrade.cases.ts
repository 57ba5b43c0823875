import * as z from 'zod'
import { ageSignal, basic, tokenRequest } from '../support/requests.ts'
import type { RuleCase } from './rule-case.ts'

const advice = { level: 'advice' } as const
const AUTHORIZED = { Authorization: basic('ak_test_sandbox', 'sk_test_sandbox') }
const DETAILS = { authorization_details: [ageSignal()] }
const issued = z.object({ access_token: z.string() })
const TOKEN_PATH = '/v1/oidc/use/token'

/** E4 and E5, one request for each rule. */
export const UPGRADE_CASES: readonly RuleCase[] = [
  {
    rule: 'TOK-01',
    breaks: 'JSON instead of a form',
    send: (_rp, { sandbox }) =>
      sandbox.request.post(TOKEN_PATH).set(AUTHORIZED).send({ grant_type: 'authorization_code', code: 'x' }),
  },
  {
    rule: 'TOK-02',
    breaks: 'a wrong secret',
    send: async (rp, { sandbox }) =>
      sandbox.request
        .post(TOKEN_PATH)
        .set('Authorization', basic('ak_test_sandbox', 'wrong'))
        .type('form')
        .send(tokenRequest(await rp.obtainCode())),
  },
  {
    rule: 'TOK-03',
    breaks: 'another grant_type',
    send: async (rp) => rp.exchange(await rp.obtainCode(), { grant_type: 'refresh_token' }),
  },
  { rule: 'TOK-04', breaks: 'no code', send: (rp) => rp.exchange(undefined) },
  { rule: 'TOK-05', breaks: 'a code that was never issued', send: (rp) => rp.exchange('guess') },
  {
    rule: 'TOK-06',
    breaks: 'a code of 600 seconds ago',
    async send(rp, { sandbox }) {
      const code = await rp.obtainCode()
      await sandbox.clock.advance(600)
      return rp.exchange(code)
    },
  },
  {
    rule: 'TOK-07',
    breaks: 'a code used twice',
    async send(rp) {
      const code = await rp.obtainCode()
      await rp.exchange(code)
      return rp.exchange(code)
    },
  },
  {
    rule: 'TOK-08',
    breaks: 'grant_type sent twice',
    async send(rp, { sandbox }) {
      const form = new URLSearchParams(tokenRequest(await rp.obtainCode()))
      form.append('grant_type', 'authorization_code')
      return sandbox.request.post(TOKEN_PATH).set(AUTHORIZED).send(String(form))
    },
  },
  {
    rule: 'TOK-09',
    breaks: 'an unknown field',
    ...advice,
    send: async (rp) => rp.exchange(await rp.obtainCode(), { redirect_uri: 'http://localhost:3000/callback' }),
  },
  {
    rule: 'TOK-10',
    breaks: 'client_secret in the form beside the Authorization header',
    send: async (rp) => rp.exchange(await rp.obtainCode(), { client_secret: 'sk_test_sandbox' }),
  },
  {
    rule: 'UPG-01',
    breaks: 'a body that is called a form',
    send: (_rp, { sandbox, brand }) =>
      sandbox.request
        .post(`/v1/${brand}/upgrade`)
        .set('Content-Type', 'application/x-www-form-urlencoded')
        .send(JSON.stringify(DETAILS)),
  },
  {
    rule: 'UPG-02',
    breaks: 'no Authorization',
    send: (_rp, { sandbox, brand }) => sandbox.request.post(`/v1/${brand}/upgrade`).send(DETAILS),
  },
  {
    rule: 'UPG-03',
    breaks: 'an access token of 10800 seconds ago',
    async send(rp, { sandbox }) {
      const token = await rp.obtainToken()
      await sandbox.clock.advance(10_800)
      return rp.upgrade(token)
    },
  },
  { rule: 'UPG-03', breaks: 'an access token that was never issued', send: (rp) => rp.upgrade('guess') },
  {
    rule: 'UPG-04',
    breaks: 'the access token of an age key that is gone',
    async send(rp, { sandbox }) {
      const token = await rp.obtainToken({ sandbox_persona: 'child-12' })
      await sandbox.personas.remove('child-12')
      return rp.upgrade(token)
    },
  },
  {
    rule: 'UPG-05',
    breaks: 'a list instead of the object',
    send: async (rp, { sandbox, brand }) =>
      sandbox.request
        .post(`/v1/${brand}/upgrade`)
        .set('Authorization', `Bearer ${await rp.obtainToken()}`)
        .send([]),
  },
  {
    rule: 'UPG-06',
    breaks: 'a string that holds the list',
    level: { spec: 'error', agekey: 'advice' },
    send: async (rp) => rp.upgrade(await rp.obtainToken(), JSON.stringify([ageSignal()])),
  },
  {
    rule: 'UPG-07',
    breaks: 'an unknown member',
    ...advice,
    send: async (rp, { sandbox, brand }) =>
      sandbox.request
        .post(`/v1/${brand}/upgrade`)
        .set('Authorization', `Bearer ${await rp.obtainToken()}`)
        .send({ ...DETAILS, note: 'x' }),
  },
  {
    rule: 'UPG-08',
    breaks: 'the access token of a code that was exchanged again',
    async send(rp) {
      const code = await rp.obtainCode()
      const token = issued.parse((await rp.exchange(code)).body).access_token
      await rp.exchange(code)
      return rp.upgrade(token)
    },
  },
]
