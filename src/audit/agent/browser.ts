export interface Agent {
  readonly name: 'http' | 'chromium'
  /**
   * Creates a browser without cookies. With `ownAddress`, the HTTP agent on Linux connects from a
   * loopback address of its own.
   */
  newBrowser(options?: { readonly ownAddress?: boolean }): Browser
  /** What it kept from pages, and what it saw and did not follow, in one line each. */
  notes(): readonly string[]
  close(): Promise<void>
}

/** One browser. It keeps its cookies from visit to visit. */
export interface Browser {
  /**
   * Opens a URL of the app and follows it to its end. Failures are part of the visit: it rejects
   * only when `decide` does.
   */
  open(request: PageRequest, options: VisitOptions): Promise<BrowserVisit>
  /** Removes cookies of the app by name, which ends its session. */
  forget(names: readonly string[]): void
}

export interface PageRequest {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  /** Sent as `application/x-www-form-urlencoded` by POST, or in the query if `method` is GET. */
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
  /**
   * Brings an answer of the sandbox to the app, from another site; the user then begins no other
   * flow.
   */
  readonly isAnswer?: boolean
}

export interface VisitOptions {
  /** The base URL of the sandbox; what is below it does not belong to the app. */
  readonly sandboxUrl: string
  readonly signal: AbortSignal
  /**
   * Called before a request for E1 or E3; `stop` ends the visit there. Without it the visit begins
   * no flow.
   */
  readonly decide?:
    | ((request: AuthorizationRequest) => Promise<ForcedDecision | 'stop'>)
    | undefined
  /**
   * Follows only redirects and runs no scripts. A visit that leads to the sandbox ends with
   * `stopped`, and leaves no cookie.
   */
  readonly peeks?: boolean
  /** What the callback page does with an answer to Use, for an agent that runs no scripts. */
  readonly fragment?: FragmentPost | undefined
  /** How a user begins on the first page; found by the words of the page when absent. */
  readonly begin?: Begin | undefined
  /**
   * Holds back the answer of E1 or E3: the visit ends with `held`, and `Visit.answer` is the
   * request that would have brought the answer.
   */
  readonly holds?: 'E1' | 'E3' | undefined
}

/**
 * How a user begins: an element to press, by its visible text or a CSS selector, or a request to
 * send after the start page.
 */
export type Begin = { readonly click: string } | { readonly request: PageRequest }

export type StartPage = PageRequest & { readonly begin?: Begin | undefined }

/** How the callback page passes on an answer in its fragment. */
export interface FragmentPost {
  /** The path of the app that receives the parameters. */
  readonly post: string
  /** As a form, or as one JSON object with the last value of a repeated parameter. */
  readonly as: 'form' | 'json'
}

/** The authorization request with which the app sends the browser to the sandbox. */
export interface AuthorizationRequest {
  readonly endpoint: 'E1' | 'E3'
  readonly url: string
  /** Parameters of its query; of a repeated parameter the last value. */
  readonly parameters: Readonly<Record<string, string>>
}

/** Headers for the sandbox. */
export type ForcedDecision = {
  readonly persona?: string | undefined
  readonly outcome?: string | undefined
}

export interface Hop {
  /** Whose URL it is: the app has the origins that this browser opened, and those of callbacks. */
  readonly party: 'app' | 'sandbox' | 'elsewhere'
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** 0 without an answer. */
  readonly status: number
  /** The flow in which the sandbox answered: its header `X-AgeKey-Sandbox-Flow`. */
  readonly flow?: string | undefined
  readonly endpoint?: 'E1' | 'E3' | undefined
  /** Whether this request brought an answer of the sandbox to the app. */
  readonly isCallback: boolean
  /** Names of the cookies that the answer set, without deleted ones. */
  readonly cookies: readonly string[]
}

/**
 * How a visit ended: at a page of the app, or where `decide` stopped it; `held` before the answer
 * that `holds` names; `elsewhere` at a URL of others, which is not requested; at a page by which
 * the sandbox refused the request of the app; `restless` when a page did not come to rest in time
 * (`problem` says what it still did); `astray` in a frame, which is not followed; `dropped` when
 * the app closed the connection without an answer.
 */
export type VisitEnd =
  | ('page' | 'stopped' | 'held' | 'elsewhere' | 'sandbox_page' | 'too_many_redirects')
  | ('timed_out' | 'restless' | 'astray' | 'dropped' | 'unreachable')

export interface BrowserVisit {
  readonly end: VisitEnd
  readonly hops: readonly Hop[]
  /** The last page; absent when none came. */
  readonly page?: ShownPage | undefined
  /** The request at which the visit stopped, if it did not end at a page. */
  readonly url?: string | undefined
  /** Why no page came, or why no way to the sandbox was found. */
  readonly problem?: string | undefined
  /**
   * The request that brought the last answer of the sandbox to the app, or would have. It can be
   * opened again in any browser.
   */
  readonly answer?: PageRequest | undefined
  /** GET requests of scripts, in a browser that runs scripts. */
  readonly asked?: readonly string[]
}

export interface ShownPage {
  readonly url: string
  readonly status: number
  /** In lower case and without parameters; empty when absent. */
  readonly mediaType: string
  /** At most the first `MAX_PAGE_BYTES`. */
  readonly text: string
}
