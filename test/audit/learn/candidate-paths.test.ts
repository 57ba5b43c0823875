import { expect, test } from 'vitest'
import type { BrowserVisit } from '../../../src/audit/agent/browser.ts'
import { candidatePaths } from '../../../src/audit/learn/candidate-paths.ts'
import { imitatedApp } from '../../support/imitated-app.ts'
import { APP, ended, hopTo, NO, pageOf, runOf, visitTo } from '../../support/imitated-pages.ts'

const START = `${APP}/verify?from=home`
const USUAL =
  '/me /members /account /profile /dashboard /api/me /api/session /api/auth/session /verify?from=home /'.split(
    ' ',
  )
const at = (path: string, changes = {}) => [hopTo(`${APP}${path}`, changes)]
const linking = (...links: string[]) =>
  visitTo('', { hops: at('/in'), page: pageOf(`200 /in ${links.join(' ')}`) })
const link = (href: string, text = 'go') => `<a href="${href}">${text}</a>`
const OWN = ['/in']
const EIGHT = '/a /b /c /d /e /f /g /h'.split(' ')

/** Without the usual pages, and without the page where users begin. */
async function found(visit: BrowserVisit, pages: Readonly<Record<string, string>> = {}) {
  const { driver } = imitatedApp(() => NO, {
    peek: (url) => `200 /x ${pages[new URL(url, APP).pathname] ?? ''}`,
  })
  const { paths, signOut } = await candidatePaths(runOf(visit), START, driver)
  expect(paths.slice(-USUAL.length)).toEqual(USUAL)
  return { paths: paths.slice(0, -USUAL.length), signOut }
}

test.each([
  ['where it ended', visitTo('200 /in?a=b Hi', { hops: at('/in') }), ['/in?a=b']],
  ['none of its own, after a callback', visitTo('200 /callback Hi'), []],
  [
    'none of its own, after a form',
    visitTo('200 /in', { hops: at('/in', { method: 'POST' }) }),
    [],
  ],
  ['none of its own, without a page', ended('dropped', { hops: at('/in') }), []],
  [
    'what its links lead to',
    linking(link('/a'), link('b?c=d#e'), link('/a')),
    [...OWN, '/a', '/b?c=d'],
  ],
  [
    'links of the app alone',
    linking(link('https://x.example/'), link('mailto:a@b'), link(`${APP}/c`)),
    [...OWN, '/c'],
  ],
  [
    'no empty link and no link of another kind',
    linking('<a>x</a>', link(''), link('http://'), link('data:x')),
    OWN,
  ],
  [
    'eight links at most',
    linking(...'abcdefghij'.split('').map((one) => link(one))),
    [...OWN, ...EIGHT],
  ],
])('The pages of an app that may show who is in are %s', async (_what, visit, paths) => {
  expect(await found(visit)).toEqual({ paths, signOut: ['/logout'] })
})

test('The links of the first page are asked for beside those where users begin', async () => {
  const pages = { '/verify': link('/a'), '/': link('/b') + link('/bye', 'Sign out') }
  const all = { paths: [...OWN, '/c', '/a', '/b'], signOut: ['/bye', '/logout'] }
  expect(await found(linking(link('/c')), pages)).toEqual(all)
})

test('A usual path that the app does not have is not asked for by every browser', async () => {
  const { driver } = imitatedApp(() => NO, {
    peek: (path) => (path === '/me' ? '401 /me No.' : '404 /x Not found.'),
  })
  const { paths } = await candidatePaths(runOf(visitTo('200 /callback Hi')), START, driver)
  expect(paths).toEqual(['/me', '/verify?from=home', '/'])
})

test('What scripts of the pages asked for is asked for before links, unless it ends a session', async () => {
  const asked = [`${APP}/api/status`, 'https://x.example/ads', `${APP}/api/logout`]
  const all = { paths: [...OWN, '/api/status', '/a'], signOut: ['/api/logout', '/logout'] }
  expect(await found({ ...linking(link('/a')), asked })).toEqual(all)
})

test.each(['log-off', 'sign_out', 'abmelden', 'déconnexion', 'ログアウト'])(
  'A link %s ends a session',
  async (word) => {
    const all = await found(linking(link('/bye', word), link('/a')))
    expect(all).toEqual({ paths: [...OWN, '/a'], signOut: ['/bye', '/logout'] })
  },
)

test('A link that changes something is not asked for', async () => {
  const links = ['account/DELETE', 'unsubscribe', 'cancel'].map((word) => link(`/${word}`))
  expect(await found(linking(...links, link('/x', 'Remove')))).toEqual({
    paths: OWN,
    signOut: ['/logout'],
  })
})

test('A link on a page that is no HTML is not asked for', async () => {
  const page = pageOf(`200 /in ${link('/a')}`, 'text/plain')
  expect((await found(visitTo('', { hops: at('/in'), page }))).paths).toEqual(OWN)
})
