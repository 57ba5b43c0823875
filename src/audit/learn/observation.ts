import type { Page, Visit } from '../agent/browser.ts'
import { firstSentence, titleOf, visibleText, wordsOf } from '../agent/read-page.ts'
import { withoutAuditTenant } from '../drive/audit-tenant.ts'

/** How a visit ended, as a judge sees it. */
export type ObservedEnd =
  | 'page'
  /** The app sent the browser to the sandbox once more. */
  | 'begins again'
  | 'timed out'
  | 'dropped'
  | 'unreachable'
  | 'redirects for ever'
  /** The page never came to rest. */
  | 'restless'
  /** In a popup or a frame. */
  | 'astray'
  /** At a page of the sandbox, which refused what the app asked for. */
  | 'refused by the sandbox'
  /** The function that drives the app threw an error, or did not end in time. */
  | 'visit failed'

/** What an app showed in the end. */
export interface Observation {
  readonly end: ObservedEnd
  /** 0 without a page. */
  readonly status: number
  /** What can differ between a yes and a no: `status 200`, `at /callback`, `titled Shop`, `says welcome`, `sets session`. */
  readonly features: ReadonlySet<string>
  /** For people: `403 at /callback ("No age was proved.")`. */
  readonly summary: string
  /** The same as a sentence, when it is no page: `visit returned true`. */
  readonly said?: string
}

/** What was seen, as a sentence. */
export const sentenceOf = ({ summary, said = `your app showed ${summary}` }: Observation): string => said

/** The app failed; by 501 it says that it does not take such a request (RFC 9110 section 15.6.2). */
export const isServerError = (status: number): boolean => status >= 500 && status !== 501

const ENDS: Readonly<Record<Visit['end'], ObservedEnd>> = {
  page: 'page',
  stopped: 'begins again',
  held: 'page',
  // The page is shown by another server, such as that of a front end: its address is what can be known of it.
  elsewhere: 'page',
  sandbox_page: 'refused by the sandbox',
  too_many_redirects: 'redirects for ever',
  timed_out: 'timed out',
  restless: 'restless',
  astray: 'astray',
  dropped: 'dropped',
  unreachable: 'unreachable',
}

export function observe(visit: Visit): Observation {
  const end = ENDS[visit.end]
  const { page } = visit
  if (visit.end === 'elsewhere') return observeElsewhere(visit)
  if (end !== 'page' || !page) {
    return { end, status: 0, features: new Set([end]), summary: summaryOfEnd(end, visit) }
  }
  const features = [
    `status ${page.status}`,
    ...addressFeatures(page.url, visit),
    ...[titleOf(page)].filter((title) => title !== '').map((title) => `titled ${title}`),
    ...cookiesSet(visit).map((name) => `sets ${name}`),
    ...withoutNumbers(wordsOf(page)).map((word) => `says ${word}`),
    // The same words may stand in another order, or more often.
    `text ${visibleText(page)
      .replace(/[\d\s.,:/+%-]+/g, ' ')
      .slice(0, MAX_TEXT)}`,
  ]
  return { end, status: page.status, features: new Set(features.map(ofEachCopy(page))), summary: summaryOfPage(page) }
}

const MAX_TEXT = 2000

/** A number on a page is often a time or a counter, which differs from visit to visit. */
function withoutNumbers(words: readonly string[]): readonly string[] {
  const others = words.filter((word) => !/^[\d.,:/+%-]+$/.test(word))
  return others.length > 0 ? others : words
}

/** Copies of an app differ by their port and by the tenant that they use: what a page says of these tells no answer from another. */
const ofEachCopy =
  ({ url }: Page) =>
  (feature: string): string => {
    const { host, hostname } = new URL(url)
    return withoutAuditTenant(feature.replaceAll(host, hostname))
  }

function observeElsewhere(visit: Visit): Observation {
  const url = visit.url ?? ''
  const address = URL.canParse(url) ? `${new URL(url).origin}${new URL(url).pathname}` : url
  const features = new Set([
    `at ${address}`,
    ...parametersOf(url).map((pair) => `with ${pair}`),
    ...cookiesSet(visit).map((name) => `sets ${name}`),
  ])
  return { end: 'page', status: 302, features, summary: `a redirect to ${address}` }
}

/** The path of a page and its parameters; those of a callback are of the sandbox and say nothing about the app. */
function addressFeatures(url: string, { hops }: Visit): string[] {
  const path = `at ${new URL(url).pathname}`
  return hops.at(-1)?.isCallback ? [path] : [path, ...parametersOf(url).map((pair) => `with ${pair}`)]
}

const parametersOf = (url: string): string[] =>
  URL.canParse(url) ? [...new URL(url).searchParams].map(([name, value]) => `${name}=${value}`) : []

/** Names of the cookies that the app set after the answer of the sandbox came. */
export function cookiesSet({ hops }: Visit): string[] {
  // Those set before, as when a request is pushed, say nothing about the last answer.
  const callback = hops.findLastIndex(({ isCallback }) => isCallback)
  return [...new Set(hops.slice(Math.max(0, callback)).flatMap(({ cookies }) => cookies))]
}

function summaryOfPage(page: Page): string {
  const said = firstSentence(page)
  const place = `${page.status} at ${new URL(page.url).pathname}`
  return said === '' ? place : `${place} (${JSON.stringify(said)})`
}

function summaryOfEnd(end: ObservedEnd, { url, problem, hops }: Visit): string {
  const place = url ?? hops.at(-1)?.url
  const path = place !== undefined && URL.canParse(place) ? ` at ${new URL(place).pathname}` : ''
  switch (end) {
    case 'begins again':
      return 'the beginning of the flow again'
    case 'timed out':
      return `no answer in time${path}`
    case 'dropped':
      return `a closed connection without an answer${path}`
    case 'restless':
      return `a page that does not come to rest${path}: ${problem}`
    case 'redirects for ever':
      return `more than 20 redirects${path}`
    case 'refused by the sandbox':
      return `an error page of the sandbox: ${problem ?? path}`
    default:
      return problem === undefined ? `${end}${path}` : `nothing: ${problem}`
  }
}

const MAX_WORDS = 6

/** Features for people: `200 at /callback, says "welcome"`. */
export function describeFeatures(features: ReadonlySet<string>): string {
  const valuesOf = (kind: string) =>
    [...features].filter((one) => one.startsWith(`${kind} `)).map((one) => one.slice(kind.length + 1))
  const [status] = valuesOf('status')
  const [path] = valuesOf('at')
  const words = valuesOf('says').slice(0, MAX_WORDS)
  const parts = [
    [status, path && `at ${path}`].filter(Boolean).join(' '),
    valuesOf('with').join(' '),
    words.length > 0 ? `says ${JSON.stringify(words.join(' '))}` : '',
    valuesOf('sets')
      .map((name) => `sets cookie ${name}`)
      .join(', '),
  ]
  const known = parts.filter((part) => part !== '')
  return known.length > 0 ? known.join(', ') : [...features].filter((one) => !one.startsWith('text ')).join(', ')
}
