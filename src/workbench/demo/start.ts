import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { DEMO_CLIENT_ID, demoCallback } from '../../sandbox/clients/clients.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { ConsoleFrame } from '../../server/http/console-page.ts'
import type { Fields } from '../../server/http/form.ts'
import type { Handler, HttpHost } from '../../server/http/handler.ts'
import { renderSelect, renderTextField } from '../../server/http/html/fields.ts'
import { type Html, html } from '../../server/http/html/html.ts'
import type { RenderedPage } from '../../server/http/html/layout.ts'
import type { Incoming } from '../../server/http/incoming.ts'
import { type Reply, redirect } from '../../server/http/reply.ts'
import { createIssuer, useIssuer } from '../../service/oidc/provider.ts'
import { upgradeScope } from '../../service/oidc/rules/profile.ts'
import { demoPath, readDemoForm, renderDemoPage, showDemo, toResult } from './demo.ts'
import { push } from './server-calls.ts'
import { beginSession } from './sessions.ts'
/** Shows the first page, with a form for a Use request and a form for a Create request. */
export const showStart =
  (host: HttpHost): Handler =>
  (request, tenant) =>
    showDemo({ request, tenant, host }, (frame) =>
      renderDemoStart(frame, addressOfBase(request, tenant)),
    )

/**
 * The URL of the demo at the base URL, if the browser uses another name of the sandbox. The
 * callback goes to the base URL, where that browser has no session cookie.
 */
function addressOfBase(request: Incoming, tenant: Tenant): string | undefined {
  const { host, origin } = new URL(tenant.provider.baseUrl)
  const called = request.header('host')
  return called === undefined || called === host ? undefined : `${origin}${demoPath(tenant)}`
}

/** @param rightAddress the URL at which the demo works; absent if this page has it */
export function renderDemoStart(
  frame: ConsoleFrame,
  rightAddress: string | undefined,
): RenderedPage {
  return renderDemoPage(frame, {
    title: 'Demo shop',
    main: html`<div class="row page-title"><h1>Demo shop</h1> <p>A relying party built into the sandbox. It makes the same calls as your app, over HTTP, and shows what it sends and what it checks.</p></div>
${
  rightAddress !== undefined &&
  html`<p class="notice" data-testid="wrong-address">The sandbox sends browsers back to its base URL, and a session does not follow to another name. <a href="${rightAddress}">Open the demo there</a>.</p>`
}
<div class="columns">
${renderUseForm(frame)}
<div class="stack">
${renderCreateForm(frame)}
${renderUpgradeHint()}
</div>
</div>`,
  })
}

/** The default claims object in the form. */
const DEFAULT_CLAIMS = '{"age_thresholds":[13,16,18,21]}'

const MODES = [
  { value: 'fragment', label: 'fragment: behind the #, the usual one' },
  { value: 'query', label: 'query: in the address, works without scripts' },
  { value: 'form_post', label: 'form_post: a form that is sent to the app' },
]

function renderUseForm({ demoPath }: ConsoleFrame): Html {
  return html`<section class="card" aria-labelledby="use-title">
<h2 id="use-title">Prove an age</h2>
<p class="muted">Use: the visitor has an age key and answers from it. When every age is false and an upgrade was allowed, a code comes too.</p>
<form class="stack" method="post" action="${demoPath}/use">
${renderTextField({ name: 'claims', label: 'claims', value: DEFAULT_CLAIMS, hint: 'JSON: the ages to ask about, and filters if you like.' })}
${renderSelect({ name: 'response_mode', label: 'response_mode', value: 'fragment', options: MODES })}
<div>${renderCheckbox('can_create', 'Offer to create an age key (can_create=true)')}
${renderCheckbox('upgrade', 'Allow an upgrade (the upgrade scope)')}</div>
<button class="primary" data-testid="demo-use">Verify my age</button>
</form>
</section>`
}

const renderCheckbox = (name: string, label: string): Html =>
  html`<label class="target"><input type="checkbox" name="${name}" value="true" checked> <span>${label}</span></label>`

function renderCreateForm({ demoPath }: ConsoleFrame): Html {
  return html`<section class="card" aria-labelledby="create-title">
<h2 id="create-title">Create an age key</h2>
<p class="muted">Create: the shop has verified an age itself, say by a document scan, and the visitor keeps the result as an age key.</p>
<form class="stack" method="post" action="${demoPath}/create">
${renderDateField()}
<button class="secondary" data-testid="demo-create">Create an age key</button>
</form>
</section>`
}

function renderUpgradeHint(): Html {
  return html`<section class="card" aria-labelledby="upgrade-title">
<h2 id="upgrade-title">Upgrade an age key</h2>
<p class="muted">Upgrade begins with Use: allow it, press Verify my age and answer as <code>child-12</code>, who is too young for every age. The shop then offers the upgrade.</p>
</section>`
}

/** The field for the date of birth that the shop pretends to have verified. */
export const renderDateField = (): Html =>
  renderTextField({
    name: 'date_of_birth',
    label: 'Date of birth that the shop has verified',
    value: '2000-02-29',
    hint: 'YYYY-MM-DD',
  })

/** E1: keeps state, nonce and claims in a session and redirects the browser to the service. */
export const startUse: Handler = async (request, tenant) => {
  const state = randomValue()
  const sent = useParameters(readDemoForm(request), state, tenant)
  const session = {
    flow: 'use',
    state,
    request: sent,
    startedAt: tenant.clock.now(),
    exchanges: [],
  } as const
  const cookie = await beginSession(session, tenant)
  return { reply: { ...toAuthorization(useIssuer(tenant.provider), sent), cookies: [cookie] } }
}

const pushed = z.object({ request_uri: z.string() })

/**
 * E2 and E3: pushes the request and redirects the browser to the service. The result page shows a
 * refused push.
 */
export const startCreate =
  (host: HttpHost): Handler =>
  async (request, tenant) => {
    const { date_of_birth: dateOfBirth = '' } = readDemoForm(request)
    const state = randomValue()
    const { exchange, body } = await push({ dateOfBirth, state }, { tenant, host })
    const session = { flow: 'create', state, exchanges: [exchange] } as const
    const { data } = pushed.safeParse(body)
    if (!data)
      return { reply: { ...toResult(tenant), cookies: [await beginSession(session, tenant)] } }
    const sent = createParameters(data.request_uri, tenant)
    const cookie = await beginSession({ ...session, request: sent }, tenant)
    return { reply: { ...toAuthorization(createIssuer(tenant.provider), sent), cookies: [cookie] } }
  }

function useParameters(fields: Fields, state: string, { provider }: Tenant) {
  const {
    claims = '',
    response_mode: responseMode = 'fragment',
    can_create: canCreate,
    upgrade,
  } = fields
  return {
    scope: upgrade === 'true' ? `openid ${upgradeScope(provider.brand)}` : 'openid',
    response_type: 'id_token',
    response_mode: responseMode,
    client_id: DEMO_CLIENT_ID,
    redirect_uri: demoCallback(provider.baseUrl),
    state,
    nonce: randomValue(),
    claims,
    ...(canCreate === 'true' ? { can_create: 'true' } : {}),
  }
}

const createParameters = (requestUri: string, { provider }: Tenant) => ({
  scope: 'openid',
  response_type: 'none',
  client_id: DEMO_CLIENT_ID,
  redirect_uri: demoCallback(provider.baseUrl),
  request_uri: requestUri,
})

/** A fresh `state` or `nonce` of 128 random bits. */
const randomValue = () => randomBytes(16).toString('base64url')

const toAuthorization = (endpoint: string, parameters: Readonly<Record<string, string>>): Reply =>
  redirect(303, `${endpoint}?${new URLSearchParams(parameters).toString()}`)
