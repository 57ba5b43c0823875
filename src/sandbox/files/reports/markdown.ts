import { visible } from '../../../service/text/visible.ts'

/** Maximum length of a value in a report. An app may answer with megabytes. */
const MAX_CHARACTERS = 2000

/**
 * Escapes a text of the catalogue for Markdown: it is shown literally, without markup, HTML, links
 * or mentions.
 * @example
 * ```ts
 * escapeMarkdown('id_token & *all*') // 'id\\_token \\& \\*all\\*'
 * ```
 */
export const escapeMarkdown = (text: string): string =>
  inOneLine(text)
    .trim()
    .replace(/[\\`*_[\]<>&#|~:$@!^]/g, '\\$&')
    .replace(/www\./gi, (prefix) => prefix.replace('.', '\\.'))
    // At the beginning of a paragraph these characters would begin a list, a heading or a
    // horizontal line.
    .replace(/^(?=[-+=])/, '\\')
    .replace(/^(\d+)(?=[.)](?:\s|$))/, '$1\\')

/** Writes a text of the app or the network as a code span, whose content is never Markdown. */
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

/** Maximum size of a step summary on GitHub. */
export const MAX_SUMMARY_BYTES = 1024 * 1024
const CUT = 'The report ends here: the summary of a step takes 1 MiB. `--json` writes all of it.\n'

/**
 * Joins blocks of Markdown up to the maximum size. The result is only cut between blocks, so that
 * no markup stays open.
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

/** Items of a list are not separated by an empty line. */
const isListItem = (block: string, before = '') => block.startsWith('- ') && before.startsWith('- ')

/** Renders a Markdown table. Columns of numbers are aligned to the right. */
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

/** Renders a text that is hidden until the reader opens it. */
export const fold = (title: string, text: string) =>
  `<details>\n<summary>${title}</summary>\n\n${text}\n</details>\n`
