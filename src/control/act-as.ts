import { html } from '../http/html/html.ts'
import { type RenderedPage, renderPage } from '../http/html/layout.ts'
import { personaCookie } from '../http/requested-decision.ts'
import { requirePersona } from '../sandbox/decision/names.ts'
import type { Persona } from '../sandbox/personas/persona-schema.ts'
import type { actAsOperations } from './contract/personas.ts'
import type { ControlContext, Handlers } from './handler.ts'

export const actAsHandlers: Pick<Handlers, keyof typeof actAsOperations> = {
  async showActAs(call) {
    return { status: 200, page: renderActAs(await existing(call.params.name, call), call) }
  },
  async actAs(call) {
    const persona = await existing(call.params.name, call)
    const cookie = personaCookie(persona.name, call.tenant)
    if (call.isForm) return { status: 200, cookie, page: renderActing(persona, call) }
    return { status: 200, cookie, body: { persona: persona.name } }
  },
  stopActing: ({ tenant }) => ({ status: 204, cookie: personaCookie(undefined, tenant) }),
}

const existing = (name: string, { tenant }: ControlContext) =>
  requirePersona(name, { personas: tenant.personas, status: 404 })

/** A page with one button. It makes the browser act as the persona in every flow that nothing stronger decides. */
function renderActAs({ name, title }: Persona, { tenant, shell }: ControlContext): RenderedPage {
  const action = `${tenant.basePath}/_sandbox/act-as/${name}`
  return renderPage(shell, {
    title: `Act as ${title}`,
    main: html`<section class="card screen">
<h1>Act as ${title}</h1>
<p class="lead">This browser will be <code>${name}</code> in every flow, without the choice page, until you stop.</p>
<form method="post" action="${action}"><div class="actions"><button class="primary" data-testid="act-as">Act as ${title}</button></div></form>
</section>`,
  })
}

/** The page behind the button: the browser has the cookie. */
function renderActing({ name, title }: Persona, { shell }: ControlContext): RenderedPage {
  return renderPage(shell, {
    title: `Acting as ${title}`,
    main: html`<section class="card screen">
<h1>Acting as ${title}</h1>
<p class="lead">From now on this browser is <code>${name}</code> in every flow. <code>DELETE _sandbox/act-as</code> or deleting the cookie <code>agekey_sandbox_persona</code> ends it.</p>
<p class="links"><a href="${shell.homePath}">To the sandbox home</a></p>
</section>`,
  })
}
