import type { BrowserVisit, VisitEnd } from '../agent/browser.ts'
import { firstSentence, titleOf, visibleText, wordsOf } from '../agent/read-page.ts'

/** What a user sees when a visit ends without a page of the app. */
const SHOWN: Readonly<Partial<Record<VisitEnd, string>>> = {
  stopped: 'the beginning of the flow again',
  sandbox_page: 'an error page of the sandbox',
  too_many_redirects: 'more than 20 redirects',
  timed_out: 'no answer in time',
  restless: 'a page that does not come to rest',
  dropped: 'a closed connection without an answer',
}

/** What a user saw at the end of a visit. */
export interface Observation {
  /** `visit failed`: the function that drives the app threw an error, or did not end in time. */
  readonly end: VisitEnd | 'visit failed'
  /** 0 without a page. */
  readonly status: number
  /**
   * Features that can differ between a yes and a no: `status 200`, `at /callback`, `titled Shop`,
   * `says welcome`, `sets session`.
   */
  readonly features: ReadonlySet<string>
  /** The visible text without numbers. Unlike `features`, it keeps the order of the words. */
  readonly text?: string
  /** For people: `403 at /callback ("No age was proved.")`. */
  readonly summary: string
  /** A sentence that replaces `summary` for a visit without a page: `visit returned true`. */
  readonly said?: string
}

/** The observation if a visit function failed. */
export const failedVisit = (summary: string): Observation => ({
  end: 'visit failed',
  status: 0,
  features: new Set(),
  summary,
})

/** What the app showed, as a sentence. */
export const sentenceOf = ({ summary, said = `your app showed ${summary}` }: Observation): string =>
  said

/**
 * Whether a status means that the app crashed. Status 501 does not: it says that the server does
 * not support the request (RFC 9110 section 15.6.2).
 */
export const isServerError = (status: number): boolean => status >= 500 && status !== 501

const MAX_TEXT = 2000

export function observe(visit: BrowserVisit): Observation {
  const { end, page, url, hops, problem } = visit
  const sets = cookiesSet(visit).map((name) => `sets ${name}`)
  if (end === 'elsewhere') {
    // Another server, such as a front end, has the page, so only the URL is known.
    const address = addressOf(url)
    const features = new Set([`at ${address}`, ...parametersOf(url), ...sets])
    return { end: 'page', status: 302, features, summary: `a redirect to ${address}` }
  }
  if (!page || end !== 'page') {
    const last = end === 'stopped' ? undefined : (url ?? hops.at(-1)?.url)
    const path = last !== undefined && URL.canParse(last) ? ` at ${new URL(last).pathname}` : ''
    const summary = (SHOWN[end] ?? 'nothing') + path + (problem === undefined ? '' : `: ${problem}`)
    return { end, status: 0, features: new Set([end]), summary }
  }
  const { status } = page
  const { host, hostname, pathname } = new URL(page.url)
  // Copies of an app differ in port and tenant, so ports and tenants on a page are no evidence.
  const ofEachCopy = (text: string) => withoutAuditTenant(text.replaceAll(host, hostname))
  // A number on a page is often a time or a counter.
  const words = wordsOf(page).filter((word) => !/^[\d.,:/+%-]+$/.test(word))
  const title = titleOf(page)
  const features = [
    `status ${status}`,
    `at ${pathname}`,
    // The parameters of a callback come from the sandbox, not from the app.
    ...(hops.at(-1)?.isCallback ? [] : parametersOf(page.url)),
    ...(title === '' ? [] : [`titled ${title}`]),
    ...sets,
    ...(words.length > 0 ? words : wordsOf(page)).map((word) => `says ${word}`),
  ].map(ofEachCopy)
  const text = ofEachCopy(visibleText(page))
    .replace(/[\d\s.,:/+%-]+/g, ' ')
    .slice(0, MAX_TEXT)
  const said = firstSentence(page)
  const summary = `${status} at ${pathname}${said === '' ? '' : ` (${JSON.stringify(said)})`}`
  return { end, status, features: new Set(features), text, summary }
}

/** A URL without query and fragment, which are long and may be secret. */
export const addressOf = (url = ''): string =>
  URL.canParse(url) ? `${new URL(url).origin}${new URL(url).pathname}` : url

const parametersOf = (url = ''): string[] =>
  URL.canParse(url)
    ? [...new URL(url).searchParams].map(([name, value]) => `with ${name}=${value}`)
    : []

/** Names of the cookies that the app set from the last callback onwards. */
export function cookiesSet({ hops }: BrowserVisit): string[] {
  // Earlier cookies, such as cookies for the request, say nothing about the last answer.
  const callback = hops.findLastIndex(({ isCallback }) => isCallback)
  return [...new Set(hops.slice(Math.max(0, callback)).flatMap(({ cookies }) => cookies))]
}

const MAX_WORDS = 6

/**
 * Describes features in words.
 * @example
 * ```ts
 * describeFeatures(['status 200', 'at /callback', 'says welcome'])
 * // '200 at /callback, says "welcome"'
 * ```
 */
export function describeFeatures(features: readonly string[]): string {
  const valuesOf = (kind: string, prefix = '') =>
    features
      .filter((one) => one.startsWith(`${kind} `))
      .map((one) => prefix + one.slice(kind.length + 1))
  const words = valuesOf('says').slice(0, MAX_WORDS).join(' ')
  const address = [...valuesOf('status'), ...valuesOf('at', 'at ')].join(' ')
  const said = words === '' ? '' : `says ${JSON.stringify(words)}`
  const known = [address, valuesOf('with').join(' '), said, ...valuesOf('sets', 'sets cookie ')]
  return known.filter((part) => part !== '').join(', ') || features.join(', ')
}

/**
 * The name of the tenant that an audit creates for a copy of the app.
 * @param run a random id of the audit: lower-case letters and digits
 */
export const auditTenantName = (run: string, number: number): string => `audit-${run}-${number}`

const PATH = /\/t\/audit-[a-z0-9]+-\d+(?![\w-])/g

/** Removes the paths of audit tenants from a text. These paths differ between copies. */
export const withoutAuditTenant = (text: string): string => text.replaceAll(PATH, '')
