import { expect, test } from 'vitest'
import { observe } from '../../../src/audit/drive/observation.ts'
import { parseAcceptedRule } from '../../../src/audit/learn/accepted-rule.ts'
import { describeLearnedFlow, learnFlow, readRun } from '../../../src/audit/learn/learned-flow.ts'
import { flowShowing, kindsOf, seenOf } from '../../support/imitated-learning.ts'
import { NO, visitTo, YES } from '../../support/imitated-pages.ts'

const look = (pages: Readonly<Record<string, string>>) => seenOf(YES, pages).probes

test('A page is a probe when it shows something else to users who are in, to those who are out, and to strangers', () => {
  const pages = ['/me', '/start', '/news', '/lost']
  const shows = (isIn: boolean, isFresh = false) => ({
    '/me': isIn ? '200 /me You are in.' : '401 /me No.',
    // It greets those who were refused, too.
    '/start': isFresh ? '200 /start Begin.' : '200 /start Hello.',
    '/news': '200 /news News.',
  })
  const ins = [seenOf(YES, shows(true)), seenOf(YES, shows(true))]
  const seen = [seenOf(NO, shows(false)), seenOf(NO, shows(false))]
  const outs = [{ label: 'access_denied', seen }]
  const flow = learnFlow({ rules: {}, ins, outs, paths: pages, fresh: look(shows(false, true)) })
  expect(flow.probes.map(({ path }) => path)).toEqual(['/me'])
  const onlyFresh = learnFlow({ rules: {}, ins, outs: [], paths: pages, fresh: look(shows(false, true)) })
  expect(onlyFresh.probes.map(({ path }) => path)).toEqual(['/me', '/start'])
  expect(describeLearnedFlow(flow)).toEqual({
    yes: '200 at /members, says "welcome"; asked again, /me is 200, says "you are in"',
    no: ['403 at /callback ("Sorry.")'],
  })
})

test('A page stays a probe when a job lets in one of two users who were refused, and not when both are shown the page of a yes', () => {
  const wine = '200 /wine Pick your bottles.'
  const [isIn, isOut] = [{ '/wine': wine }, { '/wine': '403 /wine Members only.' }]
  const probesOf = (...shown: readonly (typeof isIn)[]) => {
    const outs = [{ label: 'minor', seen: shown.map((one) => seenOf(NO, one)) }]
    return learnFlow({ rules: {}, ins: [seenOf(YES, isIn)], outs, paths: ['/wine'], fresh: look(isOut) }).probes
  }
  const [probe] = probesOf(isIn, isOut)
  expect(probe?.likeness.compare(observe(visitTo(wine)))).toEqual({ as: 'in' })
  expect(probesOf(isIn, isIn)).toEqual([])
})

test('Three probes at most are asked after each run', () => {
  const paths = ['/a', '/b', '/c', '/d']
  const all = (said: string) => Object.fromEntries(paths.map((path) => [path, `200 ${path} ${said}`]))
  const fresh = look(all('Out'))
  const { probes } = learnFlow({ rules: {}, ins: [seenOf(YES, all('In'))], outs: kindsOf({ no: NO }), fresh, paths })
  expect(probes.map(({ path }) => path)).toEqual(['/a', '/b', '/c'])
})

test('An app whose pages differ is learned further from each user who is in', () => {
  const a = seenOf('200 /in Welcome. Variant one.')
  const b = seenOf('200 /in Welcome. Layout two of this page.')
  const flow = flowShowing('', {}, { ins: [a, a], outs: kindsOf({ access_denied: NO }) })
  expect([readRun(a, flow).says, readRun(b, flow).says]).toEqual(['in', 'unknown'])
  const further = learnFlow({ ...flow, ins: [...flow.ins, b] })
  expect([a, b, seenOf(NO)].map((one) => readRun(one, further).says)).toEqual(['in', 'in', 'out'])
})

test('A flow whose yes and no look alike tells nothing without a rule, and is described by what was seen', () => {
  const alike = flowShowing(YES, { access_denied: YES })
  const shown = '200 at /members ("Welcome.")'
  expect([alike.tells, alike.page, describeLearnedFlow(alike)]).toEqual([false, undefined, { yes: shown, no: [shown] }])
  expect(flowShowing(YES, { no: YES }, { rules: { accepted: parseAcceptedRule('cookie=a') } }).tells).toBe(true)
  expect(flowShowing(YES).tells).toBe(true)
  const ins = [seenOf(YES, { '/me': '200 /me' })]
  expect(flowShowing(YES, { no: YES }, { ins, fresh: look({ '/me': '401 /me' }), paths: ['/me'] }).tells).toBe(true)
})
