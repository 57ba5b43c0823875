import { type Html, html } from '../html/html.ts'
import type { Mode } from './modes.ts'

/** What the strip shows: everything that is set, and where the browser is. */
export interface Status {
  readonly modes: readonly Mode[]
  /** The address of this page, to which a button of the strip leads back. */
  readonly here: string
}

/**
 * The status strip: each thing that is set with its value, a link to its page, and a button that takes it back. On a phone one
 * line names them and opens the list.
 * @param action takes the form
 */
export function renderStrip({ modes, here }: Status, action: string): Html {
  if (modes.length === 0) {
    return html`<div class="strip" data-strip><p data-testid="nothing-set">Nothing is set: real time, empty queue.</p></div>`
  }
  return html`<form class="strip" method="post" action="${action}" data-strip>
<input type="hidden" name="here" value="${here}">
<button class="strip-button" type="button" popovertarget="modes"><b>${modes.length} set</b> <span>${modes.map(({ title }) => title).join(', ')}</span></button>
<ul class="modes" id="modes" aria-label="What is set" popover>
${modes.map(renderMode)}</ul>
</form>`
}

const renderMode = ({ id, title, value, detail = value, instant, href, takeBack }: Mode): Html =>
  html`<li data-testid="mode-${id}"><a href="${href}">${title}</a> <b title="${detail}">${instant === undefined ? value : html`<time datetime="${instant}">${value}</time>`}</b>${takeBack !== undefined && html` <button name="take_back" value="${id}" title="${takeBack}" aria-label="${title}: ${takeBack}"><span aria-hidden="true">×</span> <span class="word">${takeBack}</span></button>`}</li>
`
