import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createHttpAgent } from '../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../src/audit/audit.ts'
import type { KnownFinding } from '../../src/audit/choices.ts'
import { appAt } from '../../src/audit/drive/driver.ts'
import { OUTCOMES } from '../../src/sandbox/outcomes/catalogue.ts'
import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { expectSound } from '../audit/apps/audit-example.ts'
import type { RunningApp } from '../support/express-example.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { startFreshBy } from '../support/start-fresh.ts'
import { type AppBrowser, createAppBrowser, nextStep, type Step } from './app-browser.ts'

/** Starts the app of a page against a sandbox. */
export type StartApp = (sandbox: Sandbox) => Promise<RunningApp>

const WELCOME = 'Welcome, you are 18.'
const SAVED = 'Your age key is saved.'
const UPGRADED = 'Your age key says more now.'
const WITH_KEY = [
  'jwks.kid_twice',
  'jwks.kid_missing',
  'jwks.slow',
  'jwks.503',
  'jwks.429',
  'jwks.dropped',
]
/**
 * A correct client may go on with another key set, which an app that has just begun does not have.
 */
const WITHOUT_KEY = OUTCOMES.flatMap(({ flow, correctClient, name }) =>
  flow === 'jwks' && correctClient === 'depends' && !WITH_KEY.includes(name) ? [name] : [],
)

interface AppScope {
  /** Rows that its library lets in, as the page says. */
  readonly known?: readonly KnownFinding[]
  /** It has no Create and no Upgrade. */
  readonly isUseAlone?: boolean
}

/** What an app does in every flow, and an audit of it. */
export function describeApp(
  title: string,
  start: StartApp,
  { known = [], isUseAlone = false }: AppScope = {},
): void {
  const ofLaterFlows = <Case>(...cases: readonly Case[]) => (isUseAlone ? [] : cases)
  describe(title, async () => {
    const sandbox = await shareSandbox()
    const app = await start(sandbox)
    afterAll(() => app.stop())
    beforeEach(() => be('adult-passport'))

    const verify = (browser: AppBrowser = createAppBrowser()) => browser.visit(`${app.url}/verify`)
    const be = (persona: string) => sandbox.configure({ persona })

    /** The answer of the service, before the browser brings it to the app. */
    async function obtainAnswer(browser: AppBrowser): Promise<Step> {
      const { location: question = '' } = await browser.send(`${app.url}/verify`)
      const answer = nextStep(await browser.send(question))
      if (answer === undefined) throw new Error(`the service gives no answer to ${question}`)
      return answer
    }

    test.each([
      ['adult-passport', WELCOME, 0],
      ['turned-18-today', WELCOME, 0],
      ['turns-18-tomorrow', WELCOME, 2],
      ...ofLaterFlows(['no-age-key', SAVED, 0] as const, ['teen-16', UPGRADED, 0] as const),
    ] as const)(
      `${title} shows %s the page %s after %d days, but lets the user in the second time`,
      async (persona, text, days) => {
        await be(persona)
        await sandbox.clock.advance(days * 86_400)
        const browser = createAppBrowser()
        expect(await verify(browser)).toMatchObject({
          status: 200,
          text: expect.stringContaining(text),
        })
        expect(await verify(browser)).toMatchObject({ status: 200, text: WELCOME })
      },
    )

    test(`${title} sends every call as the specification wants it`, async () => {
      for (const persona of ['no-age-key', 'teen-16']) await be(persona).then(() => verify())
      const calls = (await sandbox.flows.list()).flatMap((flow) => flow.calls)
      expect(new Set(calls.map(({ endpoint }) => endpoint))).toEqual(
        new Set(['E1', ...ofLaterFlows('E2', 'E3', 'E4', 'E5')]),
      )
      // It recommends a UUID of version 7, which no standard library of these makes.
      expect(
        calls.flatMap(({ findings }) => findings).filter(({ rule }) => rule !== 'SIG-13'),
      ).toEqual([])
    })

    test(`${title} keeps its cookie where no script reads the cookie`, async () => {
      const browser = createAppBrowser()
      await obtainAnswer(browser)
      const ofTheApp = browser.received.filter((cookie) => !cookie.startsWith('agekey_sandbox_'))
      expect(ofTheApp).toEqual([
        expect.stringMatching(/^(?=.*; *HttpOnly)(?=.*; *SameSite=None)(?=.*; *Secure)/i),
      ])
    })

    test(`${title} gets its answers in no address`, async () => {
      const browser = createAppBrowser()
      const [url, form] = await obtainAnswer(browser)
      expect(new URL(url).search).toBe('')
      expect([...(form?.keys() ?? [])]).toContain('id_token')
    })

    test(`${title} accepts an answer only from the browser that has asked`, async () => {
      const browser = createAppBrowser()
      const answer = await obtainAnswer(browser)
      const stranger = createAppBrowser()
      expect((await stranger.send(...answer)).status).toBe(400)
      await stranger.send(`${app.url}/verify`)
      expect((await stranger.send(...answer)).status).toBe(400)
      expect((await browser.send(...answer)).text).toBe(WELCOME)
    })

    test(`${title} accepts an answer once`, async () => {
      const browser = createAppBrowser()
      const answer = await obtainAnswer(browser)
      await browser.send(...answer)
      expect((await browser.send(...answer)).status).toBe(400)
    })

    test.each([
      ['use', 'adult-passport', 'access_denied', 'No age was proved.'],
      ['use', 'adult-passport', 'server_error', 'No age was proved.'],
      ...ofLaterFlows(
        ['create', 'no-age-key', 'access_denied', 'No age key was saved.'] as const,
        ['create', 'no-age-key', 'request_uri.expired', 'No age key was saved.'] as const,
      ),
    ] as const)(
      `${title} says after %s of %s with %s: %s`,
      async (flow, persona, outcome, text) => {
        await be(persona)
        await sandbox.next({ flow, outcome })
        expect(await verify()).toMatchObject({ status: 403, text: expect.stringContaining(text) })
      },
    )

    test(`${title} refuses an answer when it gets no key set that holds the key`, async () => {
      for (const outcome of WITHOUT_KEY) {
        // An app that has read its keys would use them again.
        const fresh = await start(sandbox)
        await sandbox.next({ flow: 'jwks', outcome })
        const { url, status } = await createAppBrowser().visit(`${fresh.url}/verify`)
        fresh.stop()
        expect(url, outcome).toBe(`${fresh.url}/callback`)
        expect(Math.trunc(status / 100), outcome).toBe(4)
      }
    }, 120_000)

    test(`${title} is sound by an audit of the whole catalogue, in which each level counts`, async () => {
      const copies = [
        appAt(sandbox, { page: `${app.url}/verify`, agent: createHttpAgent() }),
      ] as const
      const startFresh = startFreshBy(start)
      const report = await runAudit({ copies, visitsEach: 4, startFresh }, { failOn: 'may', known })
      expectSound(report, { isUseAlone })
      // Of what it reads when it starts: only a fresh copy of the app meets these rows.
      expect(
        report.rows.filter(({ flow, verdict }) => flow === 'jwks' && verdict === 'observed'),
      ).not.toEqual([])
      expect(report.rows.flatMap((one) => (one.verdict === 'known' ? one.row : []))).toEqual(
        known.map(({ row }) => row),
      )
    }, 300_000)
  })
}
