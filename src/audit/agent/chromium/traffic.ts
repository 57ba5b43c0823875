import type { CDPSession } from 'playwright-core'
import { decisionCookies } from '../../../client/decision-cookies.ts'
import type { AuthorizationRequest, Hop, Page, PageRequest, VisitOptions } from '../browser.ts'
import { namesSetBy } from '../cookies.ts'
import { MAX_REDIRECTS } from '../http-agent.ts'
import { firstNavigation, isWebAddress } from '../navigation.ts'
import { endpointOf, type Parties } from '../parties.ts'
import { type Ending, headersWith, type Paused, refusalOf } from './paused.ts'

/** The last document; `text` only when it is no HTML. */
export type Document = Omit<Page, 'text'> & { readonly text?: string | undefined }

/** The requests of a tab. */
export interface Traffic {
  readonly hops: readonly Hop[]
  readonly document: Document | undefined
  readonly ending: Ending | undefined
  /** Resolves when there is an ending. */
  readonly ended: Promise<void>
  end(ending: Ending): void
  readonly mainFrame: string
  /** The last document that was asked for has come. */
  readonly isShown: boolean
  /** Why `decide` failed. */
  readonly fault: { readonly reason: unknown } | undefined
  /** Cookies that came by the way of scripts since the last document. */
  addCookies(names: readonly string[]): void
}

export interface TrafficSettings extends VisitOptions {
  readonly parties: Parties
  readonly mainFrame: string
  /** Called before an answer of the sandbox is brought to the app. */
  onCallback(): Promise<void>
  /** Says what the audit kept a page from. */
  note(line: string): void
}

/**
 * Follows the requests of a tab. Each one is held back before it is sent, also the target of a redirect, so that `decide` is asked in
 * time and nothing beyond this machine is asked.
 *
 * Persona and outcome travel as cookies of the sandbox's browser flows, as those of a user's browser do. They are set while the request
 * is held, because what decides is known then.
 */
export async function followTraffic(
  session: CDPSession,
  first: PageRequest,
  settings: TrafficSettings,
): Promise<Traffic> {
  const { parties, sandboxUrl, mainFrame, note } = settings
  const hops: (Hop & { status: number; flow?: string | undefined; cookies: readonly string[] })[] = []
  let document: Document | undefined
  let ending: Ending | undefined
  let fault: { readonly reason: unknown } | undefined
  let isShown = false
  let tell = () => {}
  const ended = new Promise<void>((resolve) => {
    tell = resolve
  })
  const end = (one: Ending) => {
    ending ??= one
    tell()
  }
  const refuse = async ({ requestId }: Paused, one?: Ending) => {
    if (one) end(one)
    await session.send('Fetch.failRequest', { requestId, errorReason: one ? 'Aborted' : 'BlockedByClient' })
  }

  const decide = (asked: AuthorizationRequest) =>
    settings.decide(asked).catch((reason: unknown) => {
      fault = { reason }
      return 'stop' as const
    })

  async function takePart(paused: Paused): Promise<void> {
    const { requestId } = paused
    const refusal = refusalOf(paused, { parties, sandboxUrl })
    if (!refusal) return void (await session.send('Fetch.continueRequest', { requestId }))
    if (refusal.note !== undefined) note(refusal.note)
    await refuse(paused, refusal.ending)
  }

  /** Before a request of the window is sent. */
  async function takeNavigation(paused: Paused): Promise<void> {
    const { request, requestId } = paused
    const url = new URL(`${request.url}${request.urlFragment ?? ''}`)
    const isFirst = hops.length === 0
    const navigation = isFirst ? firstNavigation(first) : undefined
    const method = (navigation?.method ?? request.method) === 'POST' ? 'POST' : 'GET'
    const isFromSandbox = hops.at(-1)?.party === 'sandbox'
    // Decision: a script may lead to another origin of this machine, such as that of an API, but not to another service.
    const isOwn = isFirst || isFromSandbox || !url.searchParams.has('response_type')
    if (isOwn && parties.partyOf(url, sandboxUrl) === 'elsewhere') parties.addApp(url)
    const party = parties.partyOf(url, sandboxUrl)
    const isCallback = isFromSandbox && party !== 'sandbox'
    if (hops.length > MAX_REDIRECTS) {
      const problem = `it goes on after ${MAX_REDIRECTS} redirects`
      return refuse(paused, { end: 'too_many_redirects', url: url.href, problem })
    }
    if (party === 'elsewhere') {
      const problem = `${url.origin} is neither on this machine nor in a private network`
      return refuse(paused, { end: 'elsewhere', url: url.href, ...(!parties.mayBeApp(url) && { problem }) })
    }
    const endpoint = endpointOf(url, sandboxUrl)
    const decision =
      endpoint && (await decide({ endpoint, url: url.href, parameters: Object.fromEntries(url.searchParams) }))
    if (decision === 'stop') return refuse(paused, { end: 'stopped', url: url.href })
    if (ending) return refuse(paused)
    if (isCallback) await settings.onCallback()
    isShown = false
    hops.push({ party, method, url: url.href, status: 0, endpoint, isCallback, cookies: [] })
    for (const cookie of decision ? decisionCookies(sandboxUrl, { ...decision, audit: true }) : []) {
      await session.send('Network.setCookie', { ...cookie, path: new URL(cookie.url).pathname })
    }
    // Given headers take the place of all, cookies too.
    const body = navigation?.body && {
      headers: headersWith(paused, { 'Content-Type': navigation.body.type, Origin: url.origin }),
      postData: Buffer.from(navigation.body.text).toString('base64'),
    }
    await session.send('Fetch.continueRequest', { requestId, method, ...body })
  }

  /** Before the answer to a request of the window is read. */
  async function takeAnswer(paused: Paused): Promise<void> {
    const { request, requestId, responseStatusCode: status = 0, responseHeaders = [] } = paused
    const hop = hops.at(-1)
    const valuesOf = (name: string) =>
      responseHeaders.flatMap((header) => (header.name.toLowerCase() === name ? [header.value] : []))
    if (hop && status !== 0) {
      hop.status = status
      hop.cookies = namesSetBy(valuesOf('set-cookie').flatMap((value) => value.split('\n')))
      if (hop.party === 'sandbox') hop.flow = valuesOf('x-agekey-sandbox-flow')[0]
      const [location] = status >= 300 && status < 400 ? valuesOf('location') : []
      if (location === undefined) await takeDocument()
      else if (!(URL.canParse(location, request.url) && isWebAddress(new URL(location, request.url)))) {
        const problem = `${new URL(request.url).origin} redirects to ${JSON.stringify(location)}, which is no http or https address`
        return refuse(paused, { end: 'elsewhere', url: location, problem })
      }
    }
    await session.send('Fetch.continueResponse', { requestId })

    async function takeDocument(): Promise<void> {
      const [type = ''] = valuesOf('content-type')
      const mediaType = type.split(';', 1).join('').trim().toLowerCase()
      const isDocument =
        status !== 204 && status !== 205 && !valuesOf('content-disposition').some((value) => /^attachment/i.test(value))
      const isHtml = /^(?:text\/html|application\/xhtml\+xml|)$/.test(mediaType)
      const text = isHtml && isDocument ? undefined : isDocument ? await bodyOf(requestId) : ''
      isShown = true
      document = { url: `${request.url}${request.urlFragment ?? ''}`, status, mediaType, text }
      // Chromium stays at the page before.
      if (!isDocument) end({ end: 'page' })
    }
  }

  async function bodyOf(requestId: string): Promise<string> {
    const { body, base64Encoded } = await session.send('Fetch.getResponseBody', { requestId })
    return base64Encoded ? Buffer.from(body, 'base64').toString() : body
  }

  const failed = (error: unknown) => {
    // A tab that is closed answers no more.
    if (!ending) end({ end: 'dropped', problem: String(error) })
  }
  session.on('Fetch.requestPaused', (paused: Paused) => {
    const isWindow = paused.resourceType === 'Document' && paused.frameId === mainFrame
    const isAnswer = paused.responseStatusCode !== undefined || paused.responseErrorReason !== undefined
    const take = isAnswer && isWindow ? takeAnswer : isWindow ? takeNavigation : takePart
    take(paused).catch(failed)
  })
  await session.send('Fetch.enable', {
    patterns: [
      { urlPattern: '*', requestStage: 'Request' },
      { urlPattern: '*', requestStage: 'Response', resourceType: 'Document' },
    ],
  })
  return {
    hops,
    ended,
    end,
    mainFrame,
    addCookies(names) {
      const hop = hops.at(-1)
      if (hop) hop.cookies = [...new Set([...hop.cookies, ...names])]
    },
    get isShown() {
      return isShown
    },
    get fault() {
      return fault
    },
    get document() {
      return document
    },
    get ending() {
      return ending
    },
  }
}
