import { describe, expect, test } from 'vitest'
import { readError } from '../support/error-body.ts'
import type { Answer } from '../support/http-client.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { WEB_SHOP } from '../support/web-shop.ts'
import { contextOf, MISTAKES } from './mistakes.cases.ts'

/** Everything that a developer reads: the answer, and what the journal says of the call. */
async function readAnswer(answer: Answer, sandbox: TestSandbox): Promise<{ description: string; all: string }> {
  const findings = (await sandbox.flows.last())?.calls.at(-1)?.findings ?? []
  const description = descriptionOf(answer)
  const shown = answer.status >= 400 ? readError(answer).findings : findings
  return { description, all: [description, ...shown.flatMap(({ message, hint }) => [message, hint])].join('\n') }
}

/** The description in a body or in a callback; an accepted request has none. */
function descriptionOf(answer: Answer): string {
  if (answer.status >= 400) return readError(answer).error_description
  const url = new URL(answer.headers['location'] ?? 'about:blank')
  return new URLSearchParams(url.search || url.hash.slice(1)).get('error_description') ?? ''
}

describe('The answer says what was received, what is allowed and how to mend it when a developer', () => {
  test.each(MISTAKES.map((mistake) => [mistake.does, mistake] as const))('%s', async (_does, mistake) => {
    const sandbox = await startSandbox({ clients: [WEB_SHOP] })
    const answer = await mistake.send(contextOf(sandbox))
    const { description, all } = await readAnswer(answer, sandbox)
    for (const words of [mistake.received, mistake.allowed, mistake.mend]) {
      expect(all).toContain(words.replaceAll('BASE', sandbox.baseUrl))
    }
    expect(description).toMatch(/^[\x20-\x7e]*$/)
    for (const secret of ['sk_test_sandbox', WEB_SHOP.clientSecret]) {
      expect(all).not.toContain(secret)
      expect(JSON.stringify(await sandbox.flows.list())).not.toContain(secret)
    }
  })
})

test('An access token that is sent without a scheme is repeated neither by the answer nor by the journal', async () => {
  const sandbox = await startSandbox()
  const { rp } = contextOf(sandbox)
  const token = await rp.obtainToken()
  const answer = await sandbox.request.post('/v1/svc/upgrade').set('Authorization', token).send({})
  expect(answer.status).toBe(401)
  expect(answer.text).not.toContain(token)
  expect(JSON.stringify(await sandbox.flows.list())).not.toContain(token)
})

test('The error of a redirect says what to do, for it carries no findings', async () => {
  const sandbox = await startSandbox()
  const { rp } = contextOf(sandbox)
  const { params } = await rp.use({ nonce: undefined })
  expect(params['error_description']).toMatch(/^USE-08: nonce is missing\. Make a random nonce per request/)
  const asked = await rp.use({ response_mode: 'form-post' })
  expect(asked.params['error_description']).toMatch(/Did you mean 'form_post'\? Leave response_mode out/)
})
