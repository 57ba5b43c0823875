import { type Html, html } from '../http/html/html.ts'

/** Text to copy; a script adds the button. */
export const renderSnippet = (text: string): Html =>
  html`<div class="snippet" data-copy><pre><code>${text}</code></pre></div>`
