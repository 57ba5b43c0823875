import { html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderPage, type Shell } from '../http/html/layout.ts'

/** What the page offers: one persona. */
export interface ActAsView {
  readonly shell: Shell
  readonly name: string
  readonly title: string
  /** The path that sets the cookie. */
  readonly action: string
}

/** A page with one button: pressing it makes the browser act as the persona in every flow that nothing stronger decides. */
export function renderActAs({ shell, name, title, action }: ActAsView): RenderedPage {
  return renderPage(shell, {
    title: `Act as ${title}`,
    main: html`<section class="card screen">
<h1>Act as ${title}</h1>
<p class="lead">This browser will be <code>${name}</code> in every flow, without the choice page, until you stop.</p>
<form method="post" action="${action}"><div class="actions"><button class="primary" data-testid="act-as">Act as ${title}</button></div></form>
</section>`,
  })
}

/** What follows the button: the browser has the cookie. */
export function renderActing({ shell, name, title }: Omit<ActAsView, 'action'>): RenderedPage {
  return renderPage(shell, {
    title: `Acting as ${title}`,
    main: html`<section class="card screen">
<h1>Acting as ${title}</h1>
<p class="lead">From now on this browser is <code>${name}</code> in every flow. <code>DELETE _sandbox/act-as</code> or deleting the cookie <code>agekey_sandbox_persona</code> ends it.</p>
<p class="links"><a href="${shell.homePath}">To the sandbox home</a></p>
</section>`,
  })
}
