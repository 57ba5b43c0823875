import { visible } from '../terminal.ts'

/** A value of a report ends here: an app that answers with megabytes does not fill the page. */
const MAX_CHARACTERS = 2000

/** Text of the catalogue as Markdown that means exactly this text: no markup, no HTML, no link, no mention. */
export const escapeMarkdown = (text: string): string =>
  inOneLine(text)
    .trim()
    .replace(/[\\`*_[\]<>&#|~:$@!^]/g, '\\$&')
    .replace(/www\./gi, (prefix) => prefix.replace('.', '\\.'))
    // At the beginning of a paragraph these make a list, a heading or a line.
    .replace(/^(?=[-+=])/, '\\')
    .replace(/^(\d+)(?=[.)](?:\s|$))/, '$1\\')

/** What came from the app or the network as a code span: it is shown as it is, and nothing in it is Markdown. */
export function codeSpan(text: string): string {
  const line = inOneLine(text)
  if (line.trim() === '') return '(empty)'
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  // A space of the fence keeps them from being one with it, and Markdown takes it away again.
  const space = /^[` ]|[` ]$/.test(line) ? ' ' : ''
  return `${fence}${space}${line}${space}${fence}`
}

function inOneLine(text: string): string {
  const line = visible(text).replace(/\p{Cs}/gu, '\ufffd')
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, '')} …`
}
