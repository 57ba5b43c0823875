import { OUTCOME_COOKIE, PERSONA_COOKIE } from '../../sandbox/decision/sources.ts'
import { requireBrowserOutcome, requirePersona } from '../../sandbox/outcomes/names.ts'
import { type Html, html } from '../http/html/html.ts'
import { type RenderedPage, renderPage, shellOf } from '../http/html/layout.ts'
import { actingCookies } from '../http/requested-decision.ts'
import type { actAsOperations } from './contract/personas.ts'
import type { ControlCall, ControlContext, Handlers } from './handler.ts'

export const actAsHandlers: Pick<Handlers, keyof typeof actAsOperations> = {
  async showActAs(call) {
    return { status: 200, page: renderActAs(await actingOf(call), call) }
  },
  async actAs(call) {
    const { persona, outcome } = await actingOf(call)
    const cookies = actingCookies({ persona: persona.name, outcome }, call.tenant)
    if (call.isForm) return { status: 200, cookies, page: renderActing({ persona, outcome }, call) }
    return {
      status: 200,
      cookies,
      body: { persona: persona.name, ...(outcome === undefined ? {} : { outcome }) },
    }
  },
  stopActing: ({ tenant }) => ({ status: 204, cookies: actingCookies({}, tenant) }),
}

type Acting = Awaited<ReturnType<typeof actingOf>>

async function actingOf({
  params,
  query: { outcome },
  tenant,
}: ControlCall<'actAs' | 'showActAs'>) {
  const persona = await requirePersona(params.name, { personas: tenant.personas, status: 404 })
  if (outcome !== undefined) requireBrowserOutcome(outcome, 'outcome')
  return { persona, outcome }
}

/**
 * Renders a page with one button that makes the browser act as the persona. A stronger decision
 * source still wins.
 */
function renderActAs(
  { persona: { name, title }, outcome }: Acting,
  { tenant, host }: ControlContext,
): RenderedPage {
  const query = outcome === undefined ? '' : `?${new URLSearchParams({ outcome })}`
  const action = `${tenant.basePath}/_sandbox/act-as/${name}${query}`
  return renderPage(shellOf(tenant, host.version), {
    title: `Act as ${title}`,
    main: html`<section class="card screen">
<h1>Act as ${title}</h1>
<p>This browser will be <code>${name}</code> in every flow, without the choice page, until you stop.${renderOutcome(outcome)}</p>
<form method="post" action="${action}"><div class="actions"><button class="primary" data-testid="act-as">Act as ${title}</button></div></form>
</section>`,
  })
}

/** Renders the page after the button was pressed. */
function renderActing(
  { persona: { name, title }, outcome }: Acting,
  { tenant, host }: ControlContext,
): RenderedPage {
  return renderPage(shellOf(tenant, host.version), {
    title: `Acting as ${title}`,
    main: html`<section class="card screen">
<h1>Acting as ${title}</h1>
<p>From now on this browser is <code>${name}</code> in every flow.${renderOutcome(outcome)} <code>DELETE _sandbox/act-as</code> or deleting the cookies <code>${PERSONA_COOKIE}</code> and <code>${OUTCOME_COOKIE}</code> ends it.</p>
<p class="row links"><a href="${tenant.basePath}/">To the sandbox home</a></p>
</section>`,
  })
}

const renderOutcome = (outcome: string | undefined): Html =>
  html`${outcome !== undefined && html` Each flow that can have it ends with <code>${outcome}</code>.`}`
