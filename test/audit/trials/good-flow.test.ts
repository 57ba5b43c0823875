import { expect, test } from 'vitest'
import { goodFlow } from '../../../src/audit/trials/good-flow.ts'
import { imitatedApp, workerOf } from '../../support/imitated-app.ts'
import { flowShowing, learnedOf } from '../../support/imitated-learning.ts'
import { NO, showed, YES } from '../../support/imitated-pages.ts'

/** A plain good flow of an app that shows these pages, one in each run. */
function showing(...shows: readonly string[]) {
  const app = imitatedApp((_plan, run) => shows[run - 1] ?? YES)
  const trial = goodFlow({ learned: learnedOf(flowShowing(YES)) })
  return { app, find: async () => trial.proof(await trial.drive(workerOf(app))) }
}

const accepted = { verdict: 'accepted' }

test('A plain good flow that lets the adult in is accepted', async () => {
  expect(await showing(YES).find()).toMatchObject(accepted)
})

test('A plain good flow may fail once', async () => {
  expect(await showing('500 /callback Oops.').find()).toMatchObject(accepted)
})

test('A plain good flow that meets a rate limit says so', async () => {
  expect(await showing('429 /verify Slow.').find()).toMatchObject({
    reason: 'control_lost',
    isLimited: true,
  })
})

test('A plain good flow that fails twice shows what the app did', async () => {
  expect(await showing(NO, NO).find()).toMatchObject({
    reason: 'control_lost',
    evidence: showed(NO),
  })
})

test('A plain good flow with a new page is accepted at once the second time', async () => {
  const other = '200 /members Welcome. The other layout.'
  const changing = showing(other, YES, other)
  expect(await changing.find()).toMatchObject(accepted)
  expect(await changing.find()).toMatchObject(accepted)
  expect(changing.app.plans).toHaveLength(3)
})
