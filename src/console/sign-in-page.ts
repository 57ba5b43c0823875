import { html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderPage, type Shell } from '../http/html/layout.ts'

/** What the sign-in page of the console shows. */
export interface SignInView {
  readonly shell: Shell
  /** The path that takes the token. */
  readonly action: string
  readonly problem?: string
}

/** Beyond loopback: asks for the control token, once for this browser. It posts `token`. */
export function renderSignIn({ shell, action, problem }: SignInView): RenderedPage {
  return renderPage(shell, {
    styles: ['console.css'],
    title: 'Sign in to the console',
    main: html`<section class="card">
<h1>Sign in to the console</h1>
<p class="muted">This sandbox can be reached from other machines, so its console asks for the control token that it was started with.</p>
${problem !== undefined && html`<p class="problem" role="alert" data-testid="problem">${problem}</p>`}
<form class="stack" method="post" action="${action}">
<div class="field">
<label for="token">Control token</label>
<input id="token" name="token" type="password" required autocomplete="current-password" aria-describedby="token-hint">
<p class="hint" id="token-hint">The value of <code>--control-token</code>. This browser keeps a digest of it, not the token.</p>
</div>
<button class="primary">Sign in</button>
</form>
</section>`,
  })
}
