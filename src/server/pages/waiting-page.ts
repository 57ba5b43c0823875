import type { ReplayableAnswer } from '../../sandbox/outcomes/tamper-tools.ts'
import type { CreateTransaction } from '../../service/oidc/create.ts'
import type { Finding } from '../../service/oidc/rules/finding.ts'
import type { Brand } from '../../service/oidc/rules/profile.ts'
import type { UseTransaction } from '../../service/oidc/use.ts'
import { type Html, html } from '../http/html/html.ts'
import type { Shell } from '../http/html/layout.ts'
import { LANGUAGES, type Translate } from '../http/html/messages.ts'
import { type Embedding, PASSKEY_PERMISSIONS } from './embedding.ts'
import type { ClientBadge } from './logo.ts'

/** An authorization request that waits for its user, with what the page of either flow shows. */
export interface WaitingPage<
  Transaction extends UseTransaction | CreateTransaction = UseTransaction | CreateTransaction,
> {
  readonly shell: Shell
  /** Names the transaction: each form of the page posts it. */
  readonly id: string
  readonly transaction: Transaction
  /** Advice on the request. */
  readonly findings: readonly Finding[]
  /** Advice that applies when this device lacks the requested font. */
  readonly fontFindings?: readonly Finding[]
  /**
   * The path of the flow, with the prefix of the tenant: `/v1/oidc/use`. The forms of the page post
   * below this path.
   */
  readonly path: string
  readonly client: ClientBadge
  /** The brand word of the profile, for the name of the upgrade scope. */
  readonly brand: Brand
  readonly embedding: Embedding
  /** The time of the sandbox in epoch milliseconds. */
  readonly now: number
  /** The answer of an earlier flow of the client that can be sent again. */
  readonly earlier?: ReplayableAnswer | undefined
  /**
   * Why the visitor may not drive the sandbox, and the page on which the console asks for the
   * token; absent for a visitor who may.
   */
  readonly drivingBar?: { readonly by: 'frame' | 'token'; readonly consolePath: string } | undefined
  /** The user continues where no passkey works. */
  readonly continued?: boolean | undefined
  /** The language that was chosen on the page, which outranks that of the request. */
  readonly chosenLanguage?: string | undefined
}

/**
 * Whether no passkey works where the page is shown, and the user has not continued: the page then
 * offers only to go back.
 */
export const isBlocked = ({ embedding, continued }: WaitingPage): boolean =>
  embedding.insteadOfWebView.length > 0 && !continued

/** The hidden fields of a form: the request, and what was chosen on the page before. */
export function renderPendingFields({
  id,
  chosenLanguage,
  continued,
}: Pick<WaitingPage, 'id' | 'chosenLanguage' | 'continued'>): Html {
  return html`<input type="hidden" name="transaction" value="${id}">${
    chosenLanguage !== undefined &&
    html`<input type="hidden" name="chosen_language" value="${chosenLanguage}">`
  }${continued && html`<input type="hidden" name="continued" value="true">`}`
}

/**
 * The menu of languages, each under its own name. It belongs to a form of `renderOtherForms` and
 * posts `language`. A script submits the form when a pointer picks a language, and hides the button
 * until a key has changed the choice.
 */
export function renderLanguageMenu(t: Translate): Html {
  return html`<div class="row language">
<label class="unseen" for="language">${t('language.label')}</label>
<select id="language" name="language" form="language-form" data-testid="language" autocomplete="off">
${Object.entries(LANGUAGES).map(
  ([tag, messages]) =>
    html`<option value="${tag}" lang="${tag}"${tag === t.lang && html` selected`}>${messages['language.name']}</option>
`,
)}</select>
<button form="language-form">${t('language.change')}</button>
</div>`
}

/**
 * The forms of the button "continue anyway", which shows the page again with all its choices, and
 * of the menu. They stand at the end of the page: the first form of every hosted page is the user's
 * choice.
 */
export function renderOtherForms(page: WaitingPage): Html {
  const form = (path: 'continue' | 'language') =>
    html`<form id="${path}-form" method="post" action="${page.path}/${path}">${renderPendingFields(page)}</form>
`
  return html`${!page.continued && form('continue')}${form('language')}`
}

/**
 * Explains an iframe or an embedded web view. Every page contains the part about the iframe; the
 * server or a script shows it. The script also reads the permission, which no header holds. Where
 * no passkey works, the notice offers to continue in the sandbox anyway.
 */
export function renderEmbeddingNotice(
  { embedding, continued }: Pick<WaitingPage, 'embedding' | 'continued'>,
  flow: keyof typeof PASSKEY_PERMISSIONS,
  t: Translate,
): Html {
  const permission = PASSKEY_PERMISSIONS[flow]
  const attribute = html`<code>allow="${permission}"</code>`
  const { framed, insteadOfWebView } = embedding
  const isWebView = insteadOfWebView.length > 0
  const more = !continued && renderContinueButton(t)
  return html`${
    isWebView &&
    html`<section class="card warning" data-testid="web-view" aria-labelledby="web-view-title">
<p class="notice-title" id="web-view-title">${t('webview.title')}</p>
<p>${t('webview.lead')}</p>
<p>${t('webview.fix', { components: insteadOfWebView.join(', ') })}</p>
${more}
</section>`
  }
<section class="card warning" data-embedding="${permission}" data-testid="iframe" aria-labelledby="iframe-title"${continued && html` data-continued`}${!framed && html` hidden`}>
<p class="notice-title" id="iframe-title">${t('frame.title')}</p>
<p>${t('frame.lead')}</p>
<p data-permission="unknown">${t('frame.unknown')} ${attribute}</p>
<p data-permission="denied" hidden>${t('frame.denied')} ${attribute}</p>
<p data-permission="allowed" hidden>${t('frame.allowed')} ${attribute}</p>
${!isWebView && more && html`<div class="actions" data-permission="denied" hidden>${more}</div>`}
</section>`
}

const renderContinueButton = (t: Translate): Html =>
  html`<button class="secondary" form="continue-form" data-testid="continue-anyway" aria-describedby="continue-hint">${t('continue.button')}</button>
<p class="hint" id="continue-hint">${t('continue.hint')}</p>`

/**
 * A search field for the list with the id `list`: only entries with every word stay visible. A
 * script shows the field, opens groups with matches, and names the nearest entries and matches
 * `elsewhere` when there are none; Enter takes the first match.
 */
export function renderListFilter(
  {
    list,
    label,
    testId,
    elsewhere,
  }: {
    readonly list: string
    readonly label: string
    readonly testId?: string
    readonly elsewhere?: Html
  },
  t: Translate,
): Html {
  return html`<div class="filter" data-filter="${list}" data-none="${t('find.none')}" data-nearest="${t('find.nearest')}" hidden>
<label class="unseen" for="find-${list}">${label}</label>
<input id="find-${list}" type="search" placeholder="${label}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-controls="${list}"${testId !== undefined && html` data-testid="${testId}"`}>
<p class="hint" role="status"></p>${elsewhere && html`<p class="hint" data-elsewhere hidden>${elsewhere}</p>`}
</div>`
}
