import type { ShownPage } from '../agent/browser.ts'
import { attributeOf, documentOf, elementsBelow, isHtml, textBelow } from '../agent/read-page.ts'
import type { Driver } from '../drive/driver.ts'
import type { FlowRun } from '../drive/flow-run.ts'
import { inTurn } from '../drive/in-turn.ts'

/** Maximum number of links to request. Each link costs a request in every browser. */
const MAX_LINKS = 8
const SIGN_OUT =
  /(?:log|sign)[ _-]?(?:out|off)|abmelden|d[ée]connexion|cerrar|esci|afmelden|wyloguj|ログアウト|退出/i
/** Links that may change something if they are requested. */
const CHANGES = /delete|remove|cancel|unsubscribe/i

/** Paths where apps often show who is signed in. */
const USUAL = [
  '/me',
  '/members',
  '/account',
  '/profile',
  '/dashboard',
  '/api/me',
  '/api/session',
  '/api/auth/session',
]

export interface CandidatePaths {
  /** Paths that may show whether a user is in, the most likely path first. */
  readonly paths: readonly string[]
  /** Paths that may sign a user out. */
  readonly signOut: readonly string[]
}

/**
 * Finds paths that may show whether a user is in. The order is: the last page of a successful run,
 * requests of its scripts, links on that page, on the start page and on `/`, and the usual paths
 * that exist. The start page and `/` come last, because they may begin a new flow.
 * @param start the URL where users begin
 */
export async function candidatePaths(
  { visit: { page, hops, asked = [] }, browser }: FlowRun,
  start: string,
  driver: Driver,
): Promise<CandidatePaths> {
  const { origin } = new URL(start)
  const last = hops.at(-1)
  const ending = page && !last?.isCallback && last?.method === 'GET' ? [page.url] : []
  const first = [start, `${origin}/`]
  const peek = async (url: string) => (await driver.peek(url, browser)).page
  const pages = [page, ...(await inTurn(first, peek))]
  // Each path costs a request in every browser, so paths that do not exist are left out.
  const usual = await inTurn(USUAL, async (path) =>
    (await peek(path))?.status === 404 ? [] : [path],
  )
  const links = [
    ...asked.map((url) => ({ url, says: url })),
    ...pages.flatMap((one) => (one ? linksOf(one) : [])),
  ]
  const urlsOf = (isWanted: (says: string) => boolean) =>
    links.flatMap(({ url, says }) => (isWanted(says) ? [url] : []))
  const shown = [...new Set(urlsOf((says) => !SIGN_OUT.test(says) && !CHANGES.test(says)))].slice(
    0,
    MAX_LINKS,
  )
  const own = (urls: readonly string[]) => {
    const found = urls.map((url) => new URL(url, start)).filter((url) => url.origin === origin)
    return [...new Set(found.map(({ pathname, search }) => pathname + search))]
  }
  const signOut = own([...urlsOf((says) => SIGN_OUT.test(says)), '/logout'])
  return { paths: own([...ending, ...shown, ...usual.flat(), ...first]), signOut }
}

const linksOf = (page: ShownPage) =>
  (isHtml(page) ? elementsBelow(documentOf(page), 'a') : []).flatMap((link) => {
    const href = attributeOf(link, 'href') ?? ''
    const url = href !== '' && URL.canParse(href, page.url) ? new URL(href, page.url).href : ''
    return /^https?:/.test(url) ? [{ url, says: `${url} ${textBelow(link)}` }] : []
  })
