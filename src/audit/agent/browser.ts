/** Makes browsers that act like a user. */
export interface Agent {
  readonly name: 'http' | 'chromium'
  /**
   * Creates a browser without cookies. With `ownAddress`, the browser connects from its own
   * loopback address (HTTP agent on Linux only).
   */
  newBrowser(options?: { readonly ownAddress?: boolean }): Browser
  /** What the agent did not load or follow, one line each. */
  notes(): readonly string[]
  close(): Promise<void>
}

/** A browser. It keeps its cookies between visits. */
export interface Browser {
  /**
   * Opens a URL of the app and follows redirects and pages to the end of the visit. A failed
   * request ends the visit. The promise rejects only if `decide` rejects or the browser itself
   * ends.
   */
  open(request: PageRequest, options: VisitOptions): Promise<BrowserVisit>
  /** Removes cookies of the app by name, to end the user's session. */
  forget(names: readonly string[]): void
}

/** A request to the app. */
export interface PageRequest {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  /** The body as `application/x-www-form-urlencoded`, or the query if `method` is GET. */
  readonly form?: Readonly<Record<string, string>>
  /** The body as JSON. */
  readonly json?: unknown
  /** Whether the request carries an answer of the sandbox. The user then begins no other flow. */
  readonly isAnswer?: boolean
}

export interface VisitOptions {
  /** The base URL of the sandbox. URLs below the base URL do not belong to the app. */
  readonly sandboxUrl: string
  readonly signal: AbortSignal
  /**
   * Called before each request to E1 or E3; `stop` ends the visit. Without `decide`, the visit ends
   * before such a request.
   */
  readonly decide?:
    | ((request: AuthorizationRequest) => Promise<ForcedDecision | 'stop'>)
    | undefined
  /**
   * Follows only redirects and runs no scripts. A visit that leads to the sandbox ends with
   * `stopped` and sets no cookies.
   */
  readonly peeks?: boolean
  /** How the callback page submits an answer to Use, for an agent without scripts. */
  readonly fragment?: FragmentPost | undefined
  /** How a user begins on the first page. By default the agent chooses an element by its words. */
  readonly begin?: Begin | undefined
  /**
   * Does not deliver the answer of this endpoint: the visit ends with `held`, and
   * `BrowserVisit.answer` is the request that would deliver the answer.
   */
  readonly holds?: 'E1' | 'E3' | undefined
}

/**
 * How a user begins. `click`: the visible text or a CSS selector of the element to press.
 * `request`: a request to send after the start page.
 */
export type Begin = { readonly click: string } | { readonly request: PageRequest }

export type StartPage = PageRequest & { readonly begin?: Begin | undefined }

/** How the script of a callback page submits the answer in the fragment. */
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
  /** The query parameters. For a repeated parameter, the last value. */
  readonly parameters: Readonly<Record<string, string>>
}

/** A decision that the browser forces by request headers. */
export type ForcedDecision = {
  readonly persona?: string | undefined
  readonly outcome?: string | undefined
}

/** One request of a visit. */
export interface Hop {
  /** Who owns the URL. The app owns the origins that the browser opened, and callback origins. */
  readonly party: 'app' | 'sandbox' | 'elsewhere'
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** The status of the response; 0 without a response. */
  readonly status: number
  /** The flow in which the sandbox answered: its header `X-AgeKey-Sandbox-Flow`. */
  readonly flow?: string | undefined
  readonly endpoint?: 'E1' | 'E3' | undefined
  /** Whether this request carried an answer of the sandbox to the app. */
  readonly isCallback: boolean
  /** Names of the cookies that the response set. Deleted cookies are not included. */
  readonly cookies: readonly string[]
}

/** How a visit ended. */
export type VisitEnd =
  /** At a page of the app. */
  | 'page'
  /** `decide` stopped the visit. */
  | 'stopped'
  /** Before the delivery of the answer that `holds` names. */
  | 'held'
  /** At a URL of another party. The agent does not request this URL. */
  | 'elsewhere'
  /** At a page of the sandbox that refuses the app's request. */
  | 'sandbox_page'
  | 'too_many_redirects'
  | 'timed_out'
  /** A page kept changing or loading until the time limit; `problem` says what it did. */
  | 'restless'
  /** The app opened the service in a frame. The agent does not follow frames. */
  | 'framed'
  /** The app closed the connection without a response. */
  | 'dropped'
  | 'unreachable'

export interface BrowserVisit {
  readonly end: VisitEnd
  readonly hops: readonly Hop[]
  /** The last page. */
  readonly page?: ShownPage | undefined
  /** The last URL; absent if the visit ended at a page. */
  readonly url?: string | undefined
  /** Why there is no page, or why the user found no way to the sandbox. */
  readonly problem?: string | undefined
  /**
   * The request that delivers the last answer of the sandbox, whether it was sent or held. Any
   * browser can open this request again.
   */
  readonly answer?: PageRequest | undefined
  /** URLs that scripts requested by GET, in a browser with scripts. */
  readonly asked?: readonly string[]
}

export interface ShownPage {
  readonly url: string
  readonly status: number
  /** The media type in lower case, without parameters; empty without `Content-Type`. */
  readonly mediaType: string
  /** The body, cut off after `MAX_READ_BYTES`. */
  readonly text: string
}
