// Written by `npm run docs` from the schemas of the program.

import type { Method } from '../age/methods.ts'
import type { AgeSignal, SubmittedAgeSignal } from '../age/signal-schema.ts'
import type { AssuranceLevel } from '../age/vocabulary.ts'
import type { SigningAlgorithm } from '../oidc/ports.ts'
import type { Profile } from '../oidc/rules/profile.ts'
import type { OutcomeFlow, RequirementLevel } from '../sandbox/outcomes/outcome.ts'
import type { CheckVerdict, FailOn, VerdictName } from '../sandbox/outcomes/report/audit-report.ts'
import type { PersonaGroup } from '../sandbox/personas/persona-schema.ts'

/** What a relying party asks (specification, "Claims object"), under its wire names. */
export interface Claims {
  readonly age_thresholds: readonly number[]
  /** All methods when absent. */ readonly allowed_methods?: readonly Method[] | undefined
  /** ISO 8601 date or date-time; only later verifications are accepted. */ readonly verified_after?: string | undefined
  /** Patterns: `/a/b` matches itself, `/a/*` every path below `/a/`. */
  readonly provenance?: { readonly allowed?: readonly string[] | undefined; readonly denied?: readonly string[] | undefined } | undefined
  readonly overrides?: { readonly [Name in Method]?: Override | undefined } | undefined
  /** The least level of certification. */ readonly iso_27566_1?: AssuranceLevel | undefined
}

/** Requirements for the signals of one method. `verified_after` and `iso_27566_1` replace those of the claims. */
export interface Override {
  readonly min_age?: number | undefined
  /** One for each threshold of the claims. */ readonly age_thresholds?: readonly number[] | undefined
  /** ISO 8601 date or date-time; only later verifications are accepted. */ readonly verified_after?: string | undefined
  readonly iso_27566_1?: AssuranceLevel | undefined
  /** The boolean that an attribute must equal, or the list that must contain it. */
  readonly attributes?: Readonly<Record<string, boolean | readonly string[] | undefined>> | undefined
}

/** Claims, and whose age signals to evaluate: give exactly one of `persona` and `signals`. */
export interface Question {
  readonly claims: Claims
  /** Whose age key to evaluate. */ readonly persona?: KnownPersona | undefined
  /** Age signals to evaluate instead of a persona. */
  readonly signals?: readonly (AgeSignal | SubmittedAgeSignal)[] | undefined
  /** The instant to evaluate at, ISO 8601; the clock of the sandbox when absent. */ readonly now?: string | undefined
}

/** What a persona or age signals would answer to claims, and why. */
export interface EvaluationResult {
  age_thresholds: Record<string, boolean>
  trace: ThresholdTrace[]
}

/** Why one entry of the requested thresholds holds or not. */
export interface ThresholdTrace {
  threshold: number
  /** Whether some signal passed; of a threshold that is named twice each entry must. */ satisfied: boolean
  signals: SignalTrace[]
}

/** Which filters one signal passed. */
export interface SignalTrace {
  method: Method
  /** Whether every check passed. */ passed: boolean
  /** All seven, in the order of application, also those after a failed one. */ checks: Check[]
}

/** One filter applied to one signal. An absent filter passes. */
export interface Check {
  filter: 'allowed_methods' | 'verified_after' | 'provenance.denied' | 'provenance.allowed' | 'iso_27566_1' | 'attributes' | 'age'
  passed: boolean
  /** For people: `needs 21 by overrides.facial_age_estimation.min_age, has 19`. */ reason: string
}

/** A test user, as a persona file declares it. Dates may be relative: `today - 18y + 1d`, `now - 30d`. */
export interface Persona {
  /** How tests and URLs call the persona. */ name: string
  /** What the choice page shows. */ title: string
  /** What the persona is for. */ purpose: string
  /** The heading on the choice page; Own when left out. */ group?: PersonaGroup | undefined
  /** What the persona holds; left out, it has no age key. */ age_key?: { signals: AgeSignal[] } | undefined
}

/** A decision for a coming request. */
export interface NextDecision {
  /** The flow that has the outcome, Use first, when left out. */ readonly flow?: OutcomeFlow | undefined
  readonly persona?: KnownPersona | undefined
  readonly outcome?: KnownOutcome | undefined
  /** The request must say the same; in Create state is the pushed one, for token and upgrade that of the Use request. */
  readonly match?: { readonly client_id?: string | undefined; readonly state?: string | undefined; readonly nonce?: string | undefined } | undefined
  /** Marks its flow as one of an audit. */ readonly audit?: true | undefined
  /** How many requests it decides; 1 when absent. For discovery and jwks every read until a flow has ended counts as one. */
  readonly times?: number | undefined
}

/** A decision that is queued. */
export interface Expectation {
  id: string
  flow: OutcomeFlow
  persona?: string | undefined
  outcome?: string | undefined
  /** The request must say the same; in Create state is the pushed one, for token and upgrade that of the Use request. */
  match?: { client_id?: string | undefined; state?: string | undefined; nonce?: string | undefined } | undefined
  /** Marks its flow as one of an audit. */ audit?: true | undefined
  times: number
  remaining: number
  /** Of discovery and jwks, once a read has met it: the flow that had ended last then. It holds until another one ends. */
  held_since?: string | undefined
}

/** A scenario, as its file declares it: what users do, in order, and what the relying party must send. */
export interface Scenario {
  /** What it is called in reports. */ readonly name: string
  /** A client_id: only the requests of this client count. */ readonly client?: string | undefined
  /** Personas that it brings: they are put when it is armed. */ readonly personas?: readonly Persona[] | undefined
  /** One after the other. */ readonly steps: readonly ScenarioStep[]
}

/** Exactly one of `decide`, `await` and `clock`. */
export interface ScenarioStep {
  /** Decides the next request of a flow. */
  readonly decide?: {
    readonly flow: OutcomeFlow
    readonly persona?: KnownPersona | undefined
    readonly outcome?: KnownOutcome | undefined
  } | undefined
  /** Waits until the relying party has made this call with success. */
  readonly await?: 'par' | 'token' | 'upgrade' | 'discovery' | 'jwks' | undefined
  /** Moves the clock, at once. */
  readonly clock?: {
    readonly reset?: true | undefined
    readonly set?: string | undefined
    readonly freeze?: boolean | undefined
    readonly advance?: number | undefined
  } | undefined
  /** A part of what the relying party must have sent; claims and authorization_details are read as JSON. */
  readonly expect?: Readonly<Record<string, unknown>> | undefined
}

/** How far a scenario has come. */
export interface ScenarioProgress {
  id: string
  name: string
  client?: string | undefined
  status: 'running' | 'passed' | 'failed'
  /** Counts its changes. */ revision: number
  steps: StepProgress[]
}

/** How far one step has come. */
export interface StepProgress {
  /** From 0. */ index: number
  kind: 'decide' | 'await' | 'clock'
  /** The step in words: `use as teen-16: access_denied`. */ summary: string
  status: 'waiting' | 'current' | 'passed' | 'failed'
  /** Why it failed or, while it is current, what came that did not meet it. */ detail?: string | undefined
  /** What was expected and what came; only of a step that failed by its `expect`. */
  mismatches?: { path: string; expected: string; came: string }[] | undefined
}

/** What a user does: a flow of the journal. */
export type FlowKind = 'use' | 'create' | 'upgrade'

/** `error`: a call was refused or got no response, or the callback carries `error`. */
export type FlowStatus = 'waiting' | 'ok' | 'declined' | 'error'

/** All calls that belong together, as the journal shows them. */
export interface Flow {
  /** f12. They count from f1 in each tenant, whatever is reset. */ id: string
  tenant: string
  flow: FlowKind
  client_id?: string | undefined
  state?: string | undefined
  persona?: string | undefined
  outcome?: string | undefined
  /** What named the persona and the outcome: a query parameter, a header, an expectation, a cookie, a default. */
  decided_by?: string | undefined
  /** How the service read what the specification leaves open, where not as usual: refused_token_status=403. */
  readings?: readonly string[] | undefined
  /** The flow is one of an audit. */ audit?: true | undefined
  /** waiting: for the user. declined: by the user. error: a call was refused or dropped, or the callback carries another error. ok: the rest. */
  status: FlowStatus
  /** One sentence: the first broken rule, else the refusal, else the answer. */ summary: string
  /** What decided, then a line for each threshold and signal; only of a single flow. */ reasons?: string[] | undefined
  /** What a correct client does after its last call, a sentence each; only of a single flow. */
  next_steps?: string[] | undefined
  /** ISO 8601 date-time in UTC. */ started_at: string
  /** ISO 8601 date-time in UTC. */ ended_at?: string | undefined
  /** What the id_token says, by threshold. */ age_thresholds?: Record<string, boolean> | undefined
  /** Why; only of a flow whose age key was evaluated. */ trace?: ThresholdTrace[] | undefined
  /** How many calls of its beginning are kept no longer: a flow keeps the last 100, and about 1000000 characters. */
  dropped_calls?: number | undefined
  calls: CallRecord[]
}

/** One call of a flow. Secrets are masked. */
export interface CallRecord {
  /** ISO 8601 date-time in UTC. */ at: string
  /** `E1` to `E5`, `choice` for the form of a hosted page, or `trap` for an address that no client may follow. */
  endpoint: string
  method: string
  path: string
  /** 0: the connection was closed without a response. */ status: number
  /** What was sent; `claims` and `authorization_details` read as JSON. */ parameters: Readonly<Record<string, unknown>>
  findings: readonly Finding[]
  /** Where a redirect leads, the title of a page with the fields of its form, or the body. */ response: unknown
  /** What was decided for this call, and what decided it. */
  decision?: { persona?: string | undefined; outcome?: string | undefined; decided_by?: string | undefined } | undefined
  /** How the clock was moved when the call came; absent in real time. */
  clock?: { base?: string | undefined; advanced_seconds?: number | undefined; frozen?: true | undefined } | undefined
  /** The header of a call by a server (W3C Trace Context). */ traceparent?: string | undefined
  /** The header `Accept`, of a call that was refused. */ accept?: string | undefined
}

/** A rule that a request broke: what is wrong, where, and what to do about it. */
export interface Finding {
  /** The id of the rule: `PAR-07`. */ rule: string
  /** `error`: the request is refused. `advice`: it is legal but risky. */ level: 'error' | 'advice'
  /** `nonce`, `claims.age_thresholds[1]`, `authorization_details[0].age`. */ path: string
  message: string
  hint: string
}

/** Which flows to look for. */
export interface FlowFilter {
  readonly flow?: FlowKind | undefined
  readonly client_id?: string | undefined
  readonly state?: string | undefined
  readonly persona?: KnownPersona | undefined
  readonly outcome?: KnownOutcome | undefined
  readonly status?: FlowStatus | undefined
  /** Flows of audits: also or only these; left out when absent. */ readonly audit?: 'also' | 'only' | undefined
  /** Free text: flows of which each word stands somewhere, in whatever case. */ readonly q?: string | undefined
  /** The id of a flow: only flows that began after it. */ readonly after?: string | undefined
  /** The id of a flow: only flows that began before it, the next of the page before. */
  readonly before?: string | undefined
}

/** The formats of a flow as a file. */
export type RecordingName = 'scenario' | 'vitest' | 'playwright' | 'pytest' | 'har' | 'curl'

/** A flow as a file. */
export interface FlowRecording {
  /** f12.test.ts. */ file_name: string
  media_type: string
  text: string
}

/** What was delivered to clients, and what is missing. */
export interface Coverage {
  readonly format: 1
  /** Of agekey-sandbox. */ readonly version: string
  /** Version of the catalogue of outcomes. */ readonly catalogue: string
  /** Each distinct claims object. */ readonly claims: readonly ClaimsCounters[]
  /** What the requests asked for: use, fragment, query, form_post, can_create, no_can_create, upgrade, create. */
  readonly asked: Readonly<Record<string, Hits>>
  /** How flows ended for the client: verified, none_met, code_issued, create_requested, access_denied, other_error, created, create_denied, request_uri_expired. */
  readonly endings: Readonly<Record<string, Hits>>
  /** By flow and name of an outcome: use/id_token.expired. */ readonly rows: Readonly<Record<string, Hits>>
  /** Calls from server to server, by endpoint (par, token, upgrade, discovery, jwks): success, refusal, failure, timeout. */
  readonly calls: Readonly<Record<string, Readonly<Record<string, Hits>>>>
  /** Answers to further distinct claims than coverage names (at most 100), which are not counted. */
  readonly omitted: { readonly claims: number }
  readonly dimensions: {
    readonly answers: CoverageDimension
    readonly filters: CoverageDimension
    readonly boundaries: CoverageDimension
    readonly endings: CoverageDimension
    readonly must: CoverageDimension
    readonly calls: CoverageDimension
  }
  /** Flows that the app never used: nothing of them is counted as a gap. */
  readonly unused: readonly { readonly flow: OutcomeFlow; readonly reason: string }[]
}

/** What was delivered to one distinct `claims`. */
export interface ClaimsCounters {
  /** The first of those that count as the same: they differ in no more than verified_after. */ readonly claims: Claims
  /** By threshold ("18"): true, false. */ readonly thresholds: Readonly<Record<string, Readonly<Record<string, Hits>>>>
  /** By the member of the claims (allowed_methods, provenance.denied, overrides.id_doc_scan.attributes): passed, failed. */
  readonly filters: Readonly<Record<string, Readonly<Record<string, Hits>>>>
  /** By threshold, a birthday: today, tomorrow. */
  readonly boundaries: Readonly<Record<string, Readonly<Record<string, Hits>>>>
}

/** How often something was delivered, and to which tests. */
export interface Hits {
  /** How often it was delivered. */ readonly count: number
  /** The first 20 tests that it was delivered to; absent without a name. */
  readonly tests?: readonly string[] | undefined
}

/** One thing that the coverage looks at. */
export interface CoverageDimension {
  /** Sides that were seen. */ readonly covered: number
  /** Sides that there are. */ readonly total: number
  /** Rounded down; without any side 100, and 0 when no flow came at all. */ readonly percent: number
  readonly items: readonly CoverageItem[]
}

/** One thing to see: covered when each of its sides was seen, half when some were. */
export interface CoverageItem {
  /** Stays the same from run to run: use/id_token.expired. */ readonly id: string
  readonly title: string
  readonly state: 'covered' | 'half' | 'missing'
  /** What the decision that closes a gap is for. */ readonly flow: OutcomeFlow
  /** The claims object that it is about, as JSON. */ readonly claims?: string | undefined
  /** true and false; passed and failed; of what has one side, seen. */
  readonly sides: Readonly<Record<string, CoverageSide>>
}

/** One side of an item: seen so often, or what closes the gap. */
export interface CoverageSide {
  /** 0: a gap. */ readonly count: number
  /** The tests that saw it. */ readonly tests?: readonly string[] | undefined
  /** Of a gap: what closes it, as a sentence. */ readonly closes?: string | undefined
  /** Of a gap: the persona that closes it. */ readonly persona?: string | undefined
  /** Of a gap: the outcome that closes it. */ readonly outcome?: string | undefined
}

/** What an audit found; `public/schemas/audit-report.schema.json` says the same for a file. */
export interface AuditReport {
  /** Of agekey-sandbox. */ readonly version: string
  /** Version of the catalogue that was judged by. */ readonly catalogue: string
  /** The page that the audit began at, as it was given: {port} is a free port, another one in each run. Of agent function the redirect_uri. */
  readonly app: string
  /** What drove the app: function is the visit of a test suite. */ readonly agent: 'http' | 'chromium' | 'function'
  readonly started_at: string
  readonly seconds: number
  /** What the rows come to, the worst first. */ readonly checks: readonly AuditedCheck[]
  readonly rows: readonly AuditedRow[]
  /** How many rows have each verdict. */ readonly totals: Readonly<Partial<Record<VerdictName, number>>>
  /** What the whole run met, in one line each. */ readonly notes: readonly string[]
  /** 0 all is well, 1 a finding, 2 nothing could be shown, 3 counted rows are undetermined. */
  readonly exit_code: 0 | 1 | 2 | 3
}

/** The verdict on one check of the app, which explains those on its rows. */
export interface AuditedCheck {
  readonly flow: OutcomeFlow
  /** What a correct relying party checks. */ readonly rule: string
  /** What is gained by an attacker or a child when it gets through. */ readonly harm: string
  readonly level: RequirementLevel
  /** Like a CVSS base score. */ readonly severity: number
  /** What the app did: a sentence. */ readonly evidence?: string | undefined
  /** Sections of specifications. */ readonly refs: readonly string[]
  /** CWE-347. */ readonly cwe: readonly string[]
  /** signature; of a call its flow too: par/status; of right answers their family: control. */ readonly check: string
  /** Names it in a list: signature. */ readonly title: string
  readonly verdict: CheckVerdict
  /** Why it is undetermined: page_unknown, masked. */ readonly reason?: string | undefined
  /** The rows that show it, the worst first. */ readonly rows: readonly string[]
  /** One flow to look at. */ readonly flows: readonly string[]
  /** What the app uses to read tokens, by the files in its folder: jose. */ readonly library?: string | undefined
  /** What to write, with the library of the app. */ readonly lines?: string | undefined
  /** Whether it counts for the exit code. */ readonly counted: boolean
}

/** The verdict on one row of the catalogue. */
export interface AuditedRow {
  /** Flow and name: use/id_token.expired. */ readonly row: string
  readonly flow: OutcomeFlow
  readonly family: string
  /** The checks of a relying party that the answer fails. */ readonly checks: readonly string[]
  /** What is wrong with the answer. */ readonly summary: string
  /** What a correct relying party checks. */ readonly rule: string
  /** What is gained by an attacker or a child when it gets through. */ readonly harm: string
  readonly level: RequirementLevel
  /** Like a CVSS base score. */ readonly severity: number
  readonly verdict: VerdictName
  /** Of undetermined one of page_unknown, visit_failed, timed_out, not_delivered, not_reached, control_lost, masked, flaky; of not for this app, known and stale a sentence. */
  readonly reason?: string | undefined
  /** What the app did: a sentence. */ readonly evidence?: string | undefined
  /** The last lines that the app wrote meanwhile, without secrets; absent when other visits ran beside this one, and when the audit did not start the app. */
  readonly log?: readonly string[] | undefined
  /** The check that refused, by a message of a client library in the log of the app. */
  readonly refused_by?: string | undefined
  /** Flows in the journal of the sandbox. */ readonly flows: readonly string[]
  /** Sections of specifications. */ readonly refs: readonly string[]
  /** CWE-347. */ readonly cwe: readonly string[]
  /** Whether the verdict counts for the exit code: by level, catalogue version and list of known findings. */
  readonly counted: boolean
}

/** What the audits of a function have in common. */
export interface AuditChoices {
  /** Patterns of rows: `use/id_token.*`, `family:signature`, `flow:create`, `cwe:347`, `level:must`. All when absent. */
  readonly only?: readonly string[] | undefined
  readonly skip?: readonly string[] | undefined
  /** From which level findings count (default `must`). */ readonly failOn?: FailOn | undefined
  readonly known?: readonly KnownFinding[] | undefined
  /** Rows that came after this version of the catalogue do not count: an update then breaks no build. */
  readonly catalogue?: string | undefined
  /** Also rows that the sandbox answers after half a minute. */ readonly slow?: boolean | undefined
  /** Of one visit (default 10). */ readonly timeoutSeconds?: number | undefined
}

/** A finding that is accepted for now. */
export interface KnownFinding {
  /** Flow and name: use/id_token.kid_empty. */ readonly row: string
  /** Why it is accepted for now. */ readonly because: string
  /** The last day on which it is accepted (UTC): 2027-01-31. */ readonly until?: string | undefined
}

/** What the clock of a sandbox shows. */
export interface ClockState {
  /** ISO 8601 date-time in UTC. */ now: string
  /** The instant from which relative dates count: ISO 8601 date-time in UTC. */ base: string
  /** Since the last set or reset. */ advanced_seconds: number
  frozen: boolean
}

/** A relying party as `createSandbox` and `configure` take it. */
export interface ClientSettings {
  readonly clientId: string
  readonly clientSecret: string
  readonly name?: string | undefined
  /** Path of an image file. */ readonly logo?: string | undefined
  /** Matched character by character. */ readonly redirectUris: readonly string[]
  /** Decides for every request of this client, without a choice page. */ readonly persona?: KnownPersona | undefined
  /** Signs the id_tokens of this client; the signing_alg of the sandbox when absent. */
  readonly signingAlg?: SigningAlgorithm | undefined
}

/** How long things live, in seconds. */
export interface Lifetimes {
  readonly requestUri: number
  readonly code: number
  readonly idToken: number
  readonly accessToken: number
}

/** What `configure` has set of the readings of a tenant. */
export interface TenantReadings {
  /** Variants by the names of their readings. */ readings: Record<string, string>
}

/** What a tenant may have of its own. What is left out stays, null takes a default away. */
export interface TenantChange {
  readonly persona?: KnownPersona | null | undefined
  readonly outcome?: KnownOutcome | null | undefined
  /** Replaces the declared clients; the built-in one stays. */ readonly clients?: readonly ClientSettings[] | undefined
  /** In seconds. */
  readonly lifetimes?: {
    readonly requestUri?: number | undefined
    readonly code?: number | undefined
    readonly idToken?: number | undefined
    readonly accessToken?: number | undefined
  } | undefined
  /** What the reply of a slow outcome (token.slow, jwks.slow ...) takes. */
  readonly slowReplySeconds?: number | undefined
  /** Readings to set; those that are left out stay, null takes one back, or all of them. */
  readonly readings?: Readonly<Record<string, string | number | null>> | null | undefined
}

/** The settings of the config file in camelCase. */
export interface GivenSettings {
  /** Port to listen on; 0 (the default) takes a free one. */ readonly port?: number | undefined
  /** Address to listen on (default: 127.0.0.1, only this machine). */ readonly host?: string | undefined
  /** Address under which relying parties reach it (default: http://localhost:PORT). */
  readonly baseUrl?: string | undefined
  /** Path of the base URL, when the rest of it is the default: /agekey. */ readonly basePath?: string | undefined
  /** Address by which servers reach it, when browsers use another one. */ readonly internalUrl?: string | undefined
  /** Discovery names the addresses under the host that a server calls by, whatever it is. */
  readonly trustHost?: boolean | undefined
  /** Proxies whose X-Forwarded- headers count: addresses or CIDR ranges. */
  readonly trustProxy?: readonly string[] | undefined
  /** Serves https, with a self-signed certificate unless `httpsCert` and `httpsKey` name PEM files. */
  readonly https?: boolean | undefined
  /** PEM file of your own certificate, with httpsKey. */ readonly httpsCert?: string | undefined
  /** PEM file of its private key. */ readonly httpsKey?: string | undefined
  /** `spec` (the default): the specification to the letter. `agekey`: the names and tolerances of the live service. */
  readonly profile?: Profile | undefined
  /** Signs id_tokens: RS256 or ES256 (default: RS256); a client may have a signing_alg of its own. */
  readonly signingAlg?: SigningAlgorithm | undefined
  /** Your apps, beside the built-in client. */ readonly clients?: readonly ClientSettings[] | undefined
  /** False removes the client ak_test_sandbox. */ readonly builtinClient?: boolean | undefined
  /** Provenance paths that a submitted age signal may name; replaces the built-in list. */
  readonly provenanceAllowlist?: readonly string[] | undefined
  /** Values of the attribute platform; replaces the built-in list. */
  readonly platforms?: readonly string[] | undefined
  /** ISO 27566-1 levels of submitted age signals, by provenance and method. */
  readonly certifications?: Readonly<Record<string, Readonly<Partial<Record<Method, AssuranceLevel>>>>> | undefined
  /** Seconds for which request_uri, code, id_token and access_token are valid. */
  readonly lifetimes?: {
    readonly requestUri?: number | undefined
    readonly code?: number | undefined
    readonly idToken?: number | undefined
    readonly accessToken?: number | undefined
  } | undefined
  /** Reads a silence of the specification in another way: refused_token_status=403; "agekey-sandbox explain readings" lists all. */
  readonly readings?: Readonly<Record<string, string | number>> | undefined
  /** Delays the reply of outcomes like token.slow by so many seconds, 0 to 600 (default: 30). */
  readonly slowReplySeconds?: number | undefined
  /** Persona files or folders, beside the built-in personas. */ readonly personas?: readonly string[] | undefined
  /** Decides as this persona, without a choice page. */ readonly persona?: KnownPersona | undefined
  /** Ends flows this way, without a choice page. */ readonly outcome?: KnownOutcome | undefined
  /** Makes ids, codes, tokens and generated names repeatable. */ readonly seed?: number | undefined
  /** Keeps the signing keys, and a self-signed certificate, between runs; without it they live in memory. */
  readonly stateDir?: string | undefined
  /** File of the signing keys; made when it is not there. */ readonly keys?: string | undefined
  /** Writes to this file which answers, outcomes and calls the clients have seen; each run replaces it. */
  readonly coverageFile?: string | undefined
  /** Redis or Valkey, shared by several replicas (default: memory of this process). */
  readonly store?: string | undefined
  /** Keeps at most so many MB in memory, the oldest goes (default: 256). */ readonly memoryBudget?: number | undefined
  /** The control API asks for it beyond this machine: other host or base URL than loopback, calls through a proxy. */
  readonly controlToken?: string | undefined
}

/** A built-in persona. */
export type PersonaName =
  | 'adult-bare-document' | 'adult-credit-card' | 'adult-debit-card' | 'adult-email' | 'adult-exact-years'
  | 'adult-face' | 'adult-face-on-device' | 'adult-foreign-document' | 'adult-national-id' | 'adult-no-face-match'
  | 'adult-over-18-only' | 'adult-passport' | 'adult-six-methods' | 'adult-unknown-card' | 'adult-wallet'
  | 'born-29-february' | 'child-12' | 'child-4' | 'denied-provenance' | 'face-estimate-19' | 'iso-basic'
  | 'iso-effective' | 'iso-highly-effective' | 'iso-none' | 'iso-strict' | 'no-age-key' | 'senior-72'
  | 'stale-verification' | 'teen-14' | 'teen-16' | 'teen-email-13' | 'turned-13-today' | 'turned-16-today'
  | 'turned-18-today' | 'turned-21-today' | 'turns-13-tomorrow' | 'turns-16-tomorrow' | 'turns-18-tomorrow'
  | 'turns-21-tomorrow' | 'two-signals-disagree' | 'unlisted-provider' | 'verified-just-now'

/** An outcome of the catalogue. */
export type OutcomeName =
  | 'access_denied' | 'account_selection_required' | 'callback.code_missing' | 'callback.code_other'
  | 'callback.code_unasked' | 'callback.code_unasked_with_c_hash' | 'callback.create_requested_and_id_token'
  | 'callback.create_requested_false' | 'callback.create_requested_unasked' | 'callback.create_requested_upper_case'
  | 'callback.empty' | 'callback.error_and_success' | 'callback.error_description_long'
  | 'callback.error_description_markup' | 'callback.error_empty' | 'callback.error_unknown'
  | 'callback.error_with_wrong_state' | 'callback.extra_parameter' | 'callback.form_post_unasked'
  | 'callback.id_token_missing' | 'callback.id_token_twice' | 'callback.id_token_twice_right_first'
  | 'callback.in_fragment' | 'callback.in_other_mode' | 'callback.iss_of_other_issuer' | 'callback.replayed'
  | 'callback.state_changed' | 'callback.state_empty' | 'callback.state_missing' | 'callback.state_of_earlier_flow'
  | 'callback.state_of_other_session' | 'callback.state_twice' | 'callback.state_twice_right_first' | 'code_issued'
  | 'consent_required' | 'create_requested' | 'created' | 'created_new' | 'discovery.400_empty' | 'discovery.404'
  | 'discovery.429' | 'discovery.500' | 'discovery.502_html' | 'discovery.503' | 'discovery.alg_none_listed'
  | 'discovery.authorization_endpoint_missing' | 'discovery.dropped' | 'discovery.empty_body'
  | 'discovery.extra_member' | 'discovery.html' | 'discovery.issuer_missing' | 'discovery.issuer_other'
  | 'discovery.issuer_trailing_slash' | 'discovery.jwks_uri_missing' | 'discovery.jwks_uri_on_other_host'
  | 'discovery.redirect' | 'discovery.slow' | 'discovery.truncated' | 'id_token.age_thresholds.array'
  | 'id_token.age_thresholds.boolean' | 'id_token.age_thresholds.extra' | 'id_token.age_thresholds.false_strings'
  | 'id_token.age_thresholds.key_spelled_differently' | 'id_token.age_thresholds.key_twice'
  | 'id_token.age_thresholds.lower_also' | 'id_token.age_thresholds.missing' | 'id_token.age_thresholds.nested'
  | 'id_token.age_thresholds.null' | 'id_token.age_thresholds.numbers' | 'id_token.age_thresholds.one_missing'
  | 'id_token.age_thresholds.other_only' | 'id_token.age_thresholds.prototype' | 'id_token.age_thresholds.string'
  | 'id_token.age_thresholds.strings' | 'id_token.alg_none' | 'id_token.alg_none_mixed_case'
  | 'id_token.alg_none_upper_case' | 'id_token.alg_of_other_family' | 'id_token.aud_empty' | 'id_token.aud_missing'
  | 'id_token.aud_of_other_client' | 'id_token.aud_of_other_client_azp_own' | 'id_token.aud_prefix'
  | 'id_token.aud_string' | 'id_token.aud_two_without_azp' | 'id_token.azp_of_other_client' | 'id_token.azp_own'
  | 'id_token.c_hash_missing' | 'id_token.c_hash_without_code' | 'id_token.c_hash_wrong' | 'id_token.claims_reordered'
  | 'id_token.crit_unknown' | 'id_token.embedded_jwk' | 'id_token.empty' | 'id_token.es256'
  | 'id_token.exp_far_future' | 'id_token.exp_milliseconds' | 'id_token.exp_missing' | 'id_token.exp_string'
  | 'id_token.expired' | 'id_token.expired_a_day_ago' | 'id_token.expired_fifty_minutes_ago'
  | 'id_token.expired_issued_now' | 'id_token.expired_one_second_ago' | 'id_token.expired_ten_minutes_ago'
  | 'id_token.expired_two_minutes_ago' | 'id_token.extra_claim' | 'id_token.for_other_client'
  | 'id_token.foreign_key_same_kid' | 'id_token.foreign_key_unknown_kid' | 'id_token.four_parts'
  | 'id_token.header_extra_member' | 'id_token.header_reordered' | 'id_token.hs256_with_public_key_der'
  | 'id_token.hs256_with_public_key_member' | 'id_token.hs256_with_public_key_pem' | 'id_token.huge'
  | 'id_token.iat_far_past' | 'id_token.iat_future' | 'id_token.iat_missing' | 'id_token.iat_string'
  | 'id_token.invented' | 'id_token.iss_live_host' | 'id_token.iss_missing' | 'id_token.iss_of_create'
  | 'id_token.iss_trailing_slash' | 'id_token.iss_without_path' | 'id_token.issued_before_the_flow' | 'id_token.jku'
  | 'id_token.jwe_shape' | 'id_token.key_rotated' | 'id_token.kid_empty' | 'id_token.kid_missing'
  | 'id_token.kid_path_traversal' | 'id_token.nbf_future' | 'id_token.nbf_past' | 'id_token.nested_deeply'
  | 'id_token.nonce_array' | 'id_token.nonce_missing' | 'id_token.nonce_of_earlier_flow' | 'id_token.nonce_other'
  | 'id_token.nonce_twice' | 'id_token.not_a_jwt' | 'id_token.of_other_session' | 'id_token.padded'
  | 'id_token.payload_changed' | 'id_token.payload_not_json' | 'id_token.payload_not_object'
  | 'id_token.pretty_printed' | 'id_token.replayed' | 'id_token.req_claims_hash_hex'
  | 'id_token.req_claims_hash_missing' | 'id_token.req_claims_hash_weaker' | 'id_token.signature_bit_flipped'
  | 'id_token.signature_missing' | 'id_token.sub_empty' | 'id_token.sub_missing' | 'id_token.sub_number'
  | 'id_token.sub_seen_before' | 'id_token.sub_too_long' | 'id_token.trailing_data' | 'id_token.two_parts'
  | 'id_token.typ_missing' | 'id_token.typ_other' | 'id_token.x5c' | 'id_token.x5u' | 'interaction_required'
  | 'invalid_authorization_details' | 'invalid_request' | 'invalid_scope' | 'jwks.400_empty' | 'jwks.404' | 'jwks.429'
  | 'jwks.500' | 'jwks.502_html' | 'jwks.503' | 'jwks.alg_missing' | 'jwks.dropped' | 'jwks.empty_body'
  | 'jwks.extra_key' | 'jwks.foreign_key_same_kid' | 'jwks.html' | 'jwks.keys_missing' | 'jwks.kid_missing'
  | 'jwks.kid_twice' | 'jwks.no_keys' | 'jwks.redirect' | 'jwks.slow' | 'jwks.truncated' | 'jwks.unknown_key_type'
  | 'jwks.without_signing_key' | 'login_required' | 'no_answer' | 'par.400' | 'par.400_empty' | 'par.401' | 'par.429'
  | 'par.500' | 'par.502_html' | 'par.503' | 'par.dropped' | 'par.empty_body' | 'par.error_with_200'
  | 'par.expires_in_1' | 'par.expires_in_missing' | 'par.expires_in_string' | 'par.extra_member' | 'par.html'
  | 'par.provenance_refused' | 'par.redirect' | 'par.request_uri_already_used' | 'par.request_uri_missing'
  | 'par.request_uri_number' | 'par.request_uri_of_other_client' | 'par.slow' | 'par.status_200'
  | 'par.status_500_right_body' | 'par.truncated' | 'request_uri.expired' | 'request_uri.used' | 'server_error'
  | 'temporarily_unavailable' | 'token.400_empty' | 'token.401' | 'token.429' | 'token.500' | 'token.502_html'
  | 'token.503' | 'token.access_token_empty' | 'token.access_token_missing' | 'token.code_expired'
  | 'token.code_of_other_client' | 'token.code_reused' | 'token.dropped' | 'token.empty_body' | 'token.error_with_200'
  | 'token.expires_in_1' | 'token.expires_in_missing' | 'token.expires_in_string' | 'token.extra_members'
  | 'token.html' | 'token.redirect' | 'token.reply_lost' | 'token.slow' | 'token.status_400_right_body'
  | 'token.token_type_lower_case' | 'token.token_type_missing' | 'token.token_type_other' | 'token.truncated'
  | 'unauthorized_client' | 'unsupported_response_type' | 'upgrade.400' | 'upgrade.400_empty' | 'upgrade.429'
  | 'upgrade.500' | 'upgrade.502_html' | 'upgrade.503' | 'upgrade.dropped' | 'upgrade.empty_body'
  | 'upgrade.error_with_200' | 'upgrade.html' | 'upgrade.insufficient_scope' | 'upgrade.not_ok'
  | 'upgrade.ok_with_space' | 'upgrade.ok_without_quotes' | 'upgrade.redirect' | 'upgrade.reply_lost'
  | 'upgrade.second_upgrade' | 'upgrade.slow' | 'upgrade.status_500_right_body' | 'upgrade.token_expired'
  | 'upgrade.token_of_other_key' | 'upgrade.token_unknown' | 'upgrade.truncated' | 'verified'

/** A built-in persona, or one of your own. */
export type KnownPersona = PersonaName | (string & Record<never, never>)

/** An outcome of the catalogue; a name that is none is refused at run time. */
export type KnownOutcome = OutcomeName | (string & Record<never, never>)
