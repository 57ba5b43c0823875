import { expect, test } from 'vitest'
import type { Browser } from '../../../src/audit/agent/browser.ts'
import type { LearnedFlow } from '../../../src/audit/learn/learned-flow.ts'
import { rowTrial } from '../../../src/audit/trials/row-trial.ts'
import { BROUGHT_ANSWERS } from '../../../src/sandbox/outcomes/rows/callback.ts'
import { type ImitatedApp, imitatedApp, workerOf } from '../../support/imitated-app.ts'
import { flowProbed, flowShowing, learnedOf, ME_IN, ME_OUT } from '../../support/imitated-learning.ts'
import { APP, browserOf, hopTo, NO, showed, visitTo, YES } from '../../support/imitated-pages.ts'

const [OTHER, TWICE] = ['callback.of_other_browser', 'callback.twice']

async function tryRow(name: string, app: ImitatedApp, use: LearnedFlow = flowShowing(YES)) {
  const row = BROUGHT_ANSWERS.find((one) => one.name === name) ?? expect.fail()
  const trial = rowTrial(row, { learned: learnedOf(use, { signOut: ['/logout'] }), options: {} })
  return trial.proof(await trial.drive(workerOf(app)))
}

test.each([
  ['let in', YES, showed(YES)],
  ['refused', NO, showed(NO)],
])('The answer to another browser is %s by the page that it is shown', async (verdict, shown, said) => {
  const own = [browserOf(), browserOf()]
  const brought: Browser[] = []
  const app = imitatedApp((_plan, run) => ({ shows: NO, changes: { browser: own[run - 1] ?? expect.fail() } }), {
    open: (_request, browser) => {
      brought.push(browser)
      return shown
    },
  })
  expect(await tryRow(OTHER, app)).toMatchObject({ verdict, evidence: `as the adult: ${said}`, flows: ['f1', 'f2'] })
  expect(app.plans).toMatchObject([{ holds: 'E1' }, { holds: 'E1' }])
  expect(app.opened).toEqual([{ url: `${APP}/callback?state=s1`, isAnswer: true }])
  expect([brought.length, brought[0] === own[1]]).toEqual([1, true])
})

test('An answer that was not brought to its own browser is not brought to another', async () => {
  const app = imitatedApp(() => ({ shows: NO, changes: { answer: undefined } }))
  expect(await tryRow(OTHER, app)).toMatchObject({ verdict: 'undetermined', reason: 'not_delivered' })
  expect(app.opened).toEqual([])
})

const session = { hops: [hopTo(`${APP}/callback`, { isCallback: true, cookies: ['session'] })] }
const PROBED = flowProbed(YES, NO)

/** An app that is left in one of these ways, and that accepts an answer again or not. */
function leaving(way: 'cookie' | '/logout' | 'nothing', takesAgain: boolean) {
  let isIn = true
  const leave = (by: string) => {
    if (by === way) isIn = false
  }
  const browser = { ...browserOf(), forget: () => leave('cookie') }
  return imitatedApp(() => ({ shows: visitTo(YES, session), changes: { browser } }), {
    peek: () => (isIn ? ME_IN : ME_OUT),
    open({ url }) {
      if (url === '/logout') leave(url)
      else isIn = takesAgain
      return '200 /callback Hello.'
    },
  })
}

test.each([
  ['cookie', true, 'let in', 2],
  ['cookie', false, 'refused', 2],
  ['/logout', true, 'let in', 2],
  ['/logout', false, 'refused', 2],
  ['nothing', false, 'observed', 1],
] as const)(
  'The same answer is brought twice, when the session is over by %s (taken again: %s): %s',
  async (way, takesAgain, verdict, opened) => {
    const app = leaving(way, takesAgain)
    expect(await tryRow(TWICE, app, PROBED)).toMatchObject({ verdict })
    expect(app.opened).toHaveLength(opened)
  },
)

test('An answer is brought again after a sign-out, in a browser that has kept what the app knows of the request', async () => {
  let [isIn, hasRequest] = [true, true]
  const browser = { ...browserOf(), forget: () => ([isIn, hasRequest] = [false, false]) }
  const app = imitatedApp(() => ({ shows: visitTo(YES, session), changes: { browser } }), {
    peek: () => (isIn ? ME_IN : ME_OUT),
    open({ url }) {
      isIn = url !== '/logout' && hasRequest
      return '200 /callback Hello.'
    },
  })
  expect(await tryRow(TWICE, app, PROBED)).toMatchObject({ verdict: 'let in' })
})

test.each([
  [session, 'let in'],
  [{}, 'observed'],
])('Without a page that tells, an answer is brought twice when its cookie was forgotten: %j', async (left, verdict) => {
  const app = imitatedApp(() => ({ shows: visitTo(YES, left) }), { open: () => YES })
  expect(await tryRow(TWICE, app)).toMatchObject({ verdict })
})
