import { renderTable } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import { Refusal } from '../../oidc/refusal.ts'
import { ROTATION_STAGES, type RotationStage } from '../../sandbox/keys/key-ring.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'

const STAGES: Readonly<Partial<Record<RotationStage, string>>> = {
  publish: 'Publish a new key',
  use: 'Sign with the new key',
  retire: 'Retire the old key',
}

/** Moves the rotation to the stage that a form names. @throws Refusal for an unknown stage, or one out of turn */
export async function rotateKeys(wanted: string, tenant: Tenant): Promise<void> {
  const stage = ROTATION_STAGES.find((known) => known === wanted)
  if (stage === undefined)
    throw Refusal.invalidRequest(
      `rotate: there is no ${JSON.stringify(wanted.slice(0, 40))}; send one of ${ROTATION_STAGES.join(', ')}`,
    )
  await tenant.rotateKeys(stage)
}

export interface ShownKeys {
  /** Public keys, oldest first. */
  readonly published: readonly Readonly<Record<string, unknown>>[]
  /** The `kid` of the key that signs now. */
  readonly signing: string
}

/** The key set, and a button for each stage of a rotation. */
export function renderKeys({ published, signing }: ShownKeys, { action, jwksUri }: Record<string, string>): Html {
  const rows = published.map(({ kid, alg }) => ({
    cells: [
      html`<code>${String(kid)}</code>`,
      String(alg),
      kid === signing ? html`<span class="mark yes">signs</span>` : html`<span class="muted">published</span>`,
    ],
  }))
  return html`<section class="card" id="keys" aria-labelledby="keys-title">
<div class="row spread"><h2 id="keys-title">Keys</h2> <a class="target" href="${jwksUri}">The key set</a></div>
${renderTable('Keys', ['kid', 'alg', 'Use'], rows)}
<form class="row" method="post" action="${action}">${Object.entries(STAGES).map(
    ([stage, label]) =>
      html`<button class="secondary" name="rotate" value="${stage}" data-testid="${stage}">${label}</button>`,
  )}</form>
<p class="hint">A rotation has three stages, in this order. An app that keeps the key set must fetch the key set again when a <code>kid</code> is unknown.</p>
</section>`
}
