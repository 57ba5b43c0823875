export interface Agent {
  readonly name: 'http' | 'chromium'
  /**
   * Creates a browser without cookies. With `ownAddress`, the HTTP agent on Linux connects from a
   * loopback address of its own.
   */
  newBrowser(options?: { readonly ownAddress?: boolean }): Browser
  /** What the agent did not load or follow, in one line each. */
  notes(): readonly string[]
  close(): Promise<void>
}

/** A browser, which keeps its cookies from visit to visit. */
export interface Browser {
  /**
   * Opens a URL of the app and follows redirects and pages to the end. A failure is an end of the
   * visit; the promise rejects only when `decide` rejects.
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
  /** The request carries an answer of the sandbox to the app, so the user begins no other flow. */
  readonly isAnswer?: boolean
}

export interface VisitOptions {
  /** The base URL of the sandbox. URLs below do not belong to the app. */
  readonly sandboxUrl: string
  readonly signal: AbortSignal
  /**
   * Called before a request to E1 or E3; `stop` ends the visit. Without `decide` the visit begins
   * no flow.
   */
  readonly decide?:
    | ((request: AuthorizationRequest) => Promise<ForcedDecision | 'stop'>)
    | undefined
  /**
   * Follows redirects alone, without scripts. A visit that leads to the sandbox ends with `stopped`
   * and leaves no cookie.
   */
  readonly peeks?: boolean
  /** How the callback page passes on an answer to Use, for an agent without scripts. */
  readonly fragment?: FragmentPost | undefined
  /** How a user begins on the first page; by default the agent chooses by the words of the page. */
  readonly begin?: Begin | undefined
  /**
   * Holds back the answer of E1 or E3: the visit ends with `held`, and `BrowserVisit.answer` is the
   * request with the answer.
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
  /** The app has the origins that this browser opened, and those of callbacks. */
  readonly party: 'app' | 'sandbox' | 'elsewhere'
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** 0 without an answer. */
  readonly status: number
  /** The flow in which the sandbox answered: its header `X-AgeKey-Sandbox-Flow`. */
  readonly flow?: string | undefined
  readonly endpoint?: 'E1' | 'E3' | undefined
  /** Whether this request carried an answer of the sandbox to the app. */
  readonly isCallback: boolean
  /** Names of the cookies that the answer set, without deleted ones. */
  readonly cookies: readonly string[]
}

/** How a visit ended. */
export type VisitEnd =
  /** At a page of the app. */
  | 'page'
  /** `decide` stopped the visit. */
  | 'stopped'
  /** Before the answer that `holds` names. */
  | 'held'
  /** At a URL of another party, which is not requested. */
  | 'elsewhere'
  /** At a page by which the sandbox refuses the request of the app. */
  | 'sandbox_page'
  | 'too_many_redirects'
  | 'timed_out'
  /** A page did not come to rest in time; `problem` says what the page still did. */
  | 'restless'
  /** The app opens the service in a frame, which is not followed. */
  | 'framed'
  /** The app closed the connection without an answer. */
  | 'dropped'
  | 'unreachable'

export interface BrowserVisit {
  readonly end: VisitEnd
  readonly hops: readonly Hop[]
  /** The last page. */
  readonly page?: ShownPage | undefined
  /** The last URL, unless the visit ended at a page. */
  readonly url?: string | undefined
  /** Why there is no page, or why the user found no way to the sandbox. */
  readonly problem?: string | undefined
  /**
   * The request with the last answer of the sandbox, sent or held back. Any browser can open the
   * request again.
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
