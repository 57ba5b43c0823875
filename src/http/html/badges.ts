import { type Html, html } from './html.ts'

/** Each requested age with its yes or no; at most `max` of them. */
export function renderAnswers(answers: Readonly<Record<string, boolean>>, max?: number): Html | false {
  const shown = Object.entries(answers).slice(0, max)
  return (
    shown.length > 0 &&
    html`<ul class="marks">${shown.map(
      ([threshold, satisfied]) =>
        html`<li class="mark ${satisfied ? 'yes' : 'no'}">${threshold}: ${satisfied ? 'yes' : 'no'}</li>`,
    )}</ul>`
  )
}

/** An instant by the clock of the sandbox, ISO 8601, without its milliseconds. */
export const renderInstant = (instant: string): Html =>
  html`<time datetime="${instant}">${instant.replace('T', ' ').replace(/(?:\.\d+)?Z$/, 'Z')}</time>`

/** An HTTP status, coloured by its hundred. */
export const renderStatus = (status: number): Html =>
  html`<span class="mark ${status >= 400 ? 'no' : 'yes'}">${status}</span>`

/** How many, in words: `1 call`, `3 calls`. */
export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
