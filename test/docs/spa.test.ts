import { afterAll, expect, test } from 'vitest'
import type { NextDecision } from '../../src/server/client/shapes.ts'
import { startRelyingParty } from '../browser/relying-party.ts'
import { withPage } from '../browser/support.ts'
import { connectChromium } from '../support/run.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { describeWith } from '../support/tools.ts'
import { readRoot } from './page.ts'

describeWith('chromium', 'The single-page example', async () => {
  const [browser, sandbox, app] = await Promise.all([
    connectChromium(),
    shareSandbox(),
    startRelyingParty(),
  ])
  afterAll(() => Promise.all([browser.close(), app.close()]))
  app.serve('/', readRoot('examples/spa/index.html'))
  for (const name of ['app.js', 'age.js']) {
    const code = readRoot(`examples/spa/${name}`)
    app.serve(
      `/${name}`,
      code.replaceAll('http://localhost:2435', sandbox.baseUrl),
      'text/javascript',
    )
  }

  /** What the app says when the next user is decided so; and the address at which it says it. */
  const answerTo = (decision: NextDecision) =>
    withPage(browser, {}, async (tab) => {
      await sandbox.next(decision)
      await tab.goto(`${app.origin}/`)
      await tab.getByRole('button').click()
      await tab.getByText(/Welcome|not 18|No age/).waitFor()
      return { answer: await tab.getByRole('status').textContent(), url: tab.url() }
    })

  test('The single-page example lets an adult in', async () => {
    const url = `${app.origin}/`
    expect(await answerTo({ persona: 'adult-passport' })).toEqual({
      answer: 'Welcome, you are 18.',
      url,
    })
  })

  test('The single-page example lets no teenager in', async () => {
    const url = `${app.origin}/`
    expect(await answerTo({ persona: 'teen-16' })).toEqual({ answer: 'You are not 18.', url })
  })

  test.each([
    ['access_denied', /user|denied|declined/i],
    ['id_token.signature_bit_flipped', /the signature is wrong/],
    ['id_token.alg_none', /signed by none/],
    ['id_token.iss_trailing_slash', /iss is/],
    ['id_token.aud_of_other_client', /aud is/],
    ['id_token.expired', /expired/],
    ['id_token.exp_far_future', /no time of this service/],
    ['id_token.nbf_future', /not valid yet/],
    ['id_token.sub_empty', /sub is missing/],
    ['callback.create_requested_and_id_token', /more than an id_token/],
    ['id_token.nonce_other', /nonce is not/],
    ['id_token.req_claims_hash_weaker', /other claims/],
    ['id_token.age_thresholds.strings', /other thresholds/],
    ['callback.state_of_other_session', /not for this request/],
    ['callback.id_token_twice', /id_token comes 2 times/],
  ])(
    'The single-page example proves nothing by %s, for the reason of the outcome',
    async (outcome, reason) => {
      const { answer } = await answerTo({ persona: 'adult-passport', outcome })
      expect(answer).toMatch(/^No age was proved: /)
      expect(answer).toMatch(reason)
    },
  )

  test('The single-page example takes no answer that another tab asked for', async () => {
    await withPage(browser, {}, async (tab) => {
      await tab.goto(`${app.origin}/#id_token=a.b.c&state=of-another-tab`)
      await tab.getByText('No age was proved: the answer is not for this request').waitFor()
    })
  })
})
