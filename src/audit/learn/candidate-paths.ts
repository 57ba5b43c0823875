import type { Page } from '../agent/browser.ts'
import { attributeOf, elementsBelow, parseHtml, textBelow } from '../agent/html-document.ts'
import { isHtml } from '../agent/read-page.ts'
import type { Driver, FlowRun } from '../drive/driver.ts'
import { inTurn } from '../drive/in-turn.ts'

/** Links of a page that are asked for; each is one more request of what is learned. */
const MAX_LINKS = 8
const SIGN_OUT = /(?:log|sign)[ _-]?(?:out|off)|abmelden|d[ée]connexion|cerrar|esci|afmelden|wyloguj|ログアウト|退出/i
/** Other pages whose request changes something. */
const CHANGES = /delete|remove|cancel|unsubscribe/i

/** Where apps often show who is signed in. */
const USUAL = '/me /members /account /profile /dashboard /api/me /api/session /api/auth/session'.split(' ')

/**
 * The pages of an app that may show whether a user is in: the one that a user who is in ended at, what it, the start and the first
 * page link to, where apps often show it, and last these two, which may begin anew.
 * @param start the address where users begin
 */
export async function candidatePaths(
  { visit: { page, hops }, browser }: FlowRun,
  start: string,
  driver: Driver,
): Promise<{ readonly paths: readonly string[]; readonly signOut: readonly string[] }> {
  const { origin } = new URL(start)
  const last = hops.at(-1)
  const ending = page && !last?.isCallback && last?.method === 'GET' ? [page.url] : []
  const first = [start, `${origin}/`]
  const pages = [page, ...(await inTurn(first, async (url) => (await driver.peek(url, browser)).page))]
  const links = pages.flatMap((one) => (one ? linksOf(one) : []))
  const isOfSignOut = ({ url, text }: Link) => SIGN_OUT.test(`${url} ${text}`)
  const safe = links.filter((link) => !isOfSignOut(link) && !CHANGES.test(`${link.url} ${link.text}`))
  const shown = [...new Set(safe.map(({ url }) => url))].slice(0, MAX_LINKS)
  const own = (urls: readonly string[]) => {
    const found = urls.map((url) => new URL(url, start)).filter((url) => url.origin === origin)
    return [...new Set(found.map(({ pathname, search }) => pathname + search))]
  }
  const signOut = links.filter(isOfSignOut).map(({ url }) => url)
  return { paths: own([...ending, ...shown, ...USUAL, ...first]), signOut: own([...signOut, '/logout']) }
}

interface Link {
  readonly url: string
  readonly text: string
}

function linksOf(page: Page): readonly Link[] {
  if (!isHtml(page)) return []
  return elementsBelow(parseHtml(page.text), 'a').flatMap((link) => {
    const href = attributeOf(link, 'href') ?? ''
    if (href === '' || !URL.canParse(href, page.url)) return []
    const url = new URL(href, page.url).href
    return /^https?:/.test(url) ? [{ url, text: textBelow(link) }] : []
  })
}
