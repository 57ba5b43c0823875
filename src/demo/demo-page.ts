import { type ConsoleFrame, renderMenu } from '../http/html/console-page.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderPage } from '../http/html/layout.ts'

/** A page of the demo relying party, below the menu of the console. */
export function renderDemoPage(
  frame: ConsoleFrame,
  { title, main, scripts = [] }: { title: string; main: Html; scripts?: readonly string[] },
): RenderedPage {
  return renderPage(frame.shell, {
    title: `${title} · Demo app`,
    width: 'wide',
    styles: ['console.css'],
    scripts,
    main: html`${renderMenu(frame, 'demo')}
${main}`,
  })
}
