export interface Agent {
  readonly name: 'http' | 'chromium'
  /** A browser without cookies; with `ownAddress`, by HTTP on Linux, it comes from a loopback address of its own. */
  newBrowser(options?: { readonly ownAddress?: boolean }): Browser
  /** What it kept pages from, and what it saw and did not follow, in one line each. */
  notes(): readonly string[]
  close(): Promise<void>
}

/** One browser: its cookies last from visit to visit. */
export interface Browser {
  /** Opens an address of the app and follows it to its end. How it failed is in the visit: it rejects only when `decide` does. */
  open(request: PageRequest, options: VisitOptions): Promise<BrowserVisit>
  /** Removes cookies of the app by their names, as when its session is over. */
  forget(names: readonly string[]): void
}

export interface PageRequest {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  /** Sent as `application/x-www-form-urlencoded` by POST, or in the query when `method` is GET. */
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** It brings an answer of the sandbox to the app, from another site, so that the user does not begin another flow. */
  readonly isAnswer?: boolean
}

export interface VisitOptions {
  /** The base URL of the sandbox: what is below it is not the app. */
  readonly sandboxUrl: string
  readonly signal: AbortSignal
  /** Asked before a request for E1 or E3; `stop` ends the visit there. Without it a visit looks, and begins no flow. */
  readonly decide?: ((request: AuthorizationRequest) => Promise<ForcedDecision | 'stop'>) | undefined
  /** Leaves no page but by redirects, and runs no scripts. A visit that leads to the sandbox ends with `stopped`, and leaves no cookie. */
  readonly peeks?: boolean
  /** What the page of the callback does with an answer to Use; for an agent that runs no scripts. */
  readonly fragment?: FragmentPost | undefined
  /** How a user begins on the first page; found by the words of the page when absent. */
  readonly begin?: Begin | undefined
  /** Keeps the answer of E1 or E3 back: the visit ends with `held`, and `Visit.answer` is the request that would have brought it. */
  readonly holds?: 'E1' | 'E3' | undefined
}

/** How a user begins: what to press, by its visible text or a CSS selector, or a request to send after the start page. */
export type Begin = { readonly click: string } | { readonly request: PageRequest }

export type StartPage = PageRequest & { readonly begin?: Begin | undefined }

/** How the page of the callback passes an answer on that it reads in its fragment. */
export interface FragmentPost {
  /** The path of the app that gets the parameters. */
  readonly post: string
  /** As a form, or as one JSON object; of a parameter that is repeated its last value then. */
  readonly as: 'form' | 'json'
}

/** A request that the app sends the browser to the sandbox with. */
export interface AuthorizationRequest {
  readonly endpoint: 'E1' | 'E3'
  readonly url: string
  /** Parameters of its query. When one is repeated, its last value counts. */
  readonly parameters: Readonly<Record<string, string>>
}

/** Sent to the sandbox in headers. */
export type ForcedDecision = { readonly persona?: string | undefined; readonly outcome?: string | undefined }

export interface Hop {
  /** Whose address it is: `app` has the origins that this browser opened, and those of callbacks. */
  readonly party: 'app' | 'sandbox' | 'elsewhere'
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** 0 without an answer. */
  readonly status: number
  /** The flow that the sandbox answered in: its header `X-AgeKey-Sandbox-Flow`. */
  readonly flow?: string | undefined
  readonly endpoint?: 'E1' | 'E3' | undefined
  /** The browser brought an answer of the sandbox to the app with it. */
  readonly isCallback: boolean
  /** Names of the cookies that the answer set; a cookie that it deleted is none of them. */
  readonly cookies: readonly string[]
}

/**
 * How a visit ended: at a page of the app, or where `decide` stopped it; `held` before the answer that `holds` names was brought;
 * `elsewhere` at an address of others, which is not requested; at a page by which the sandbox refused the request of the app; `restless`
 * when a page did not come to rest in time (`problem` says what it still did); `astray` in a frame, which is not followed; `dropped` when
 * the app closed the connection without an answer.
 */
export type VisitEnd =
  | ('page' | 'stopped' | 'held' | 'elsewhere' | 'sandbox_page' | 'too_many_redirects')
  | ('timed_out' | 'restless' | 'astray' | 'dropped' | 'unreachable')

export interface BrowserVisit {
  readonly end: VisitEnd
  readonly hops: readonly Hop[]
  /** What was shown last; absent when nothing came. */
  readonly page?: ShownPage | undefined
  /** Where it stopped, when that was not a page. */
  readonly url?: string | undefined
  /** Why nothing came, or how the way to the sandbox was looked for in vain. */
  readonly problem?: string | undefined
  /** Brought the last answer of the sandbox to the app, or would have; it can be opened again in any browser. */
  readonly answer?: PageRequest | undefined
  /** What scripts of its pages asked for by GET; by a browser that runs scripts. */
  readonly asked?: readonly string[]
}

export interface ShownPage {
  readonly url: string
  readonly status: number
  /** In lower case and without parameters; empty when there is none. */
  readonly mediaType: string
  /** At most the first `MAX_PAGE_BYTES`. */
  readonly text: string
}
