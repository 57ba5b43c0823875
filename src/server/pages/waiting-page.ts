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

/**
 * An authorization request that waits for the user's decision, with the data that the pages of both
 * flows show.
 */
export interface WaitingPage<
  Transaction extends UseTransaction | CreateTransaction = UseTransaction | CreateTransaction,
> {
  readonly shell: Shell
  /** The id of the transaction, which each form of the page posts. */
  readonly id: string
  readonly transaction: Transaction
  /** Advice on the request. */
  readonly findings: readonly Finding[]
  /** Advice for a device without the requested font. */
  readonly fontFindings?: readonly Finding[]
  /**
   * The path of the flow, with the prefix of the tenant: `/v1/oidc/use`. The forms of the page post
   * to paths below it.
   */
  readonly path: string
  readonly client: ClientBadge
  /** The brand word of the tenant, for the name of the upgrade scope. */
  readonly brand: Brand
  readonly embedding: Embedding
  /** The time of the sandbox in epoch milliseconds. */
  readonly now: number
  /** The answer of an earlier flow of the client, which an outcome can replay. */
  readonly earlier?: ReplayableAnswer | undefined
  /**
   * Why the visitor may not drive the sandbox, and the path of the console, which asks for the
   * control token; absent for a visitor who may.
   */
  readonly drivingBar?: { readonly by: 'frame' | 'token'; readonly consolePath: string } | undefined
  /** The user continued although passkeys do not work there. */
  readonly continued?: boolean | undefined
  /**
   * The language that the user chose on the page; it takes precedence over the language of the
   * request.
   */
  readonly chosenLanguage?: string | undefined
}

/**
 * Whether passkeys do not work where the page is shown and the user has not continued: the page
 * then only offers to go back.
 */
export const isBlocked = ({ embedding, continued }: WaitingPage): boolean =>
  embedding.insteadOfWebView.length > 0 && !continued

/**
 * Renders the hidden fields of a form: the transaction, the chosen language, and whether the user
 * continued.
 */
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
 * Renders the menu of languages, each in its own language. The menu belongs to a form of
 * `renderOtherForms` and posts `language`. With scripts a choice by pointer submits the form at
 * once; a choice by keyboard needs the button.
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
 * Renders the forms of the button "continue anyway", which shows the page again with all choices,
 * and of the language menu. They stand at the end, because the first form of a hosted page is
 * always the user's choice.
 */
export function renderOtherForms(page: WaitingPage): Html {
  const form = (path: 'continue' | 'language') =>
    html`<form id="${path}-form" method="post" action="${page.path}/${path}">${renderPendingFields(page)}</form>
`
  return html`${!page.continued && form('continue')}${form('language')}`
}

/**
 * Renders the notice about an iframe or an embedded web view. Every page contains the iframe part,
 * which the server or a script shows; the script also reads the permission, which no header tells.
 * Where passkeys do not work, the notice offers to continue anyway.
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
 * Renders a search field for the list with the id `list`: only entries that contain every word stay
 * visible. A script shows the field and opens groups with matches. Without a match it names the
 * nearest entries and the matches in `elsewhere`. Enter takes the first match.
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
