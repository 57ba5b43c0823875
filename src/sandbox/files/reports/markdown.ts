import { visible } from '../../../service/text/visible.ts'

/** Characters of a value in a report, at most: an app may answer with megabytes. */
const MAX_CHARACTERS = 2000

/**
 * Escapes a text of the catalogue, so that Markdown shows exactly this text: no markup, no HTML, no
 * link, no mention.
 */
export const escapeMarkdown = (text: string): string =>
  inOneLine(text)
    .trim()
    .replace(/[\\`*_[\]<>&#|~:$@!^]/g, '\\$&')
    .replace(/www\./gi, (prefix) => prefix.replace('.', '\\.'))
    // At the beginning of a paragraph these characters would begin a list, a heading or a line.
    .replace(/^(?=[-+=])/, '\\')
    .replace(/^(\d+)(?=[.)](?:\s|$))/, '$1\\')

/** A text of the app or the network as a code span, in which nothing is Markdown. */
export function codeSpan(text: string): string {
  const line = inOneLine(text)
  if (line.trim() === '') return '(empty)'
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  // A space separates the text from the fence; Markdown removes it.
  const space = /^[` ]|[` ]$/.test(line) ? ' ' : ''
  return `${fence}${space}${line}${space}${fence}`
}

function inOneLine(text: string): string {
  const line = visible(text).replace(/\p{Cs}/gu, '\ufffd')
  return line.length <= MAX_CHARACTERS
    ? line
    : `${line.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, '')} …`
}

/** Characters that GitHub accepts for the summary of a step. */
export const MAX_SUMMARY_BYTES = 1024 * 1024
const CUT = 'The report ends here: the summary of a step takes 1 MiB. `--json` writes all of it.\n'

/**
 * Joins as many blocks of Markdown as there is room for. A cut between blocks leaves no markup
 * open.
 */
export function joinBlocks(blocks: readonly string[], maxBytes = MAX_SUMMARY_BYTES): string {
  const room = maxBytes - Buffer.byteLength(CUT) - 1
  let text = ''
  let bytes = 0
  for (const [index, block] of blocks.entries()) {
    const part = index === 0 || isListItem(block, blocks[index - 1]) ? block : `\n${block}`
    bytes += Buffer.byteLength(part)
    if (bytes > room) return `${text}\n${CUT}`
    text += part
  }
  return text
}

/** No empty line between the items of a list. */
const isListItem = (block: string, before = '') => block.startsWith('- ') && before.startsWith('- ')

/** A table whose columns are aligned as given. */
export function renderMarkdownTable(
  columns: readonly { readonly title: string; readonly isNumber?: boolean }[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |\n`
  return (
    line(columns.map(({ title }) => title)) +
    line(columns.map(({ isNumber }) => (isNumber ? '---:' : '---'))) +
    rows.map(line).join('')
  )
}

/** A text that a line above it unfolds. */
export const fold = (title: string, text: string) =>
  `<details>\n<summary>${title}</summary>\n\n${text}\n</details>\n`
