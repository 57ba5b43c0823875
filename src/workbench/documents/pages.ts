import { packageRepository } from '../../package-root.ts'
import { type ConsoleFrame, renderConsolePage } from '../../server/http/console-page.ts'
import { counted, grouped } from '../../server/http/html/elements.ts'
import { type Html, html } from '../../server/http/html/html.ts'
import type { RenderedPage } from '../../server/http/html/layout.ts'
import { findDocument, findDocuments, type PackageDocument } from './documents.ts'
import { linkedFile, linkedFiles } from './files.ts'
import { type FindAddress, renderSection } from './render-section.ts'
import { type FoundSection, MAX_FOUND, searchDocuments } from './search.ts'

/** Renders the index of the documents, by group, with one line for each. */
export function renderIndex(frame: ConsoleFrame): RenderedPage {
  const { controlPath, shell } = frame
  const groups = grouped(findDocuments(), ({ group }) => group)
  return renderPage(frame, {
    title: 'Documents',
    lead: html`Of version ${shell.version}, the one that runs. For programs: <a href="${controlPath}/llms.txt">llms.txt</a> lists their Markdown.`,
    body: html`<section class="card">
${renderSearchForm(controlPath)}
<div class="doc-groups">${groups.map(
      ([group, documents]) => html`<section>
<h2>${group}</h2>
<ul>
${documents.map(
  ({
    name,
    title,
    line,
  }) => html`<li><a href="${controlPath}/docs/${name}">${title}</a> <span class="muted">${line}</span></li>
`,
)}</ul>
</section>
`,
    )}</div>
</section>`,
  })
}

/** Renders a document with its table of contents; `undefined` when it does not exist. */
export function renderServedDocument(frame: ConsoleFrame, name: string): RenderedPage | undefined {
  const document = findDocument(name)
  if (document === undefined) return undefined
  const { controlPath } = frame
  const { title, line, file, sections } = document
  const addressOf = createAddressFinder(file, frame)
  return renderPage(frame, {
    title,
    lead: html`${line}`,
    body: html`<div class="stack doc-page">
<nav class="card doc-contents" aria-label="Contents">
${renderSearchForm(controlPath, { isNarrow: true })}
${renderContents(document)}
<p class="row links"><a href="${controlPath}/docs">All documents</a> <a href="${controlPath}/${file}">Markdown</a></p>
</nav>
<article class="card doc">
${sections.map((section) => renderSection(section, addressOf))}</article>
</div>`,
  })
}

/** Renders the table of contents: headings of levels 2 and 3. */
function renderContents({ sections }: PackageDocument): Html | false {
  const listed = sections.filter(({ depth }) => depth === 2 || depth === 3)
  if (listed.length === 0) return false
  const hasMany = listed.length > MAX_CONTENTS
  return html`<details><summary><h2 class="small">On this page</h2></summary>
<ul class="contents">${listed
    .filter(({ depth }) => depth === 2 || !hasMany)
    .map(
      ({
        anchor,
        heading,
        depth,
      }) => html`<li${depth === 3 && html` class="deep"`}><a href="#${anchor}">${heading}</a></li>
`,
    )}</ul></details>`
}

/** Maximum number of entries. A document with more lists only headings of level 2. */
const MAX_CONTENTS = 40

/**
 * The list of documents for language models (llmstxt.org): a title, a summary, and links to
 * Markdown in groups.
 * @param addressOf returns the URL of a document's Markdown
 */
export function renderLlmsText(addressOf: (document: PackageDocument) => string): string {
  const groups = grouped(findDocuments(), ({ group }) => group)
  const sections = groups.map(
    ([group, documents]) =>
      `## ${group}\n\n${documents.map((document) => `- [${document.title}](${addressOf(document)}): ${document.line}\n`).join('')}`,
  )
  return `${HEAD}\n${sections.join('\n')}`
}

const HEAD = `# agekey-sandbox

> An age assurance service for a developer's own machine: every endpoint of its OpenID Connect interface, every validation rule
> and real signed tokens, with test personas instead of passkeys, so that each outcome can be had on demand.

For testing only: nothing here proves an age. Start it with \`npx agekey-sandbox\`; it serves http://localhost:2435 with these documents at
\`/_sandbox/docs\`, this list at \`/_sandbox/llms.txt\` and an MCP endpoint at \`/_sandbox/mcp\`.
`

/** Renders the results of a search. */
export async function renderSearch(frame: ConsoleFrame, query: string): Promise<RenderedPage> {
  const { controlPath, shell } = frame
  const found = await searchDocuments(query)
  return renderPage(frame, {
    title: query === '' ? 'Search the documents' : `${query}: in the documents`,
    lead: html`<a href="${controlPath}/docs">All documents</a> of version ${shell.version}.`,
    body: html`<section class="card">
${renderSearchForm(controlPath, { query })}
${query === '' && html`<p class="notice muted">Type a word, the id of a rule, or the name of an outcome.</p>`}
${query !== '' && found.length === 0 && html`<p class="notice muted">No section has all of these words. Try one word less, or look through <a href="${controlPath}/docs">the list</a>.</p>`}
${found.length > 0 && renderFound(controlPath, found)}
</section>`,
  })
}

function renderFound(controlPath: string, found: readonly FoundSection[]): Html {
  const many =
    found.length === MAX_FOUND
      ? `The first ${MAX_FOUND} sections`
      : counted(found.length, 'section')
  return html`<h2>${many}</h2>
<ol class="doc-found">${found.map(
    ({ document, title, heading, anchor, excerpt, terms }) => html`<li>
<a href="${controlPath}/docs/${document}${heading !== title && `#${anchor}`}">${heading}</a>${heading !== title && html` <span class="muted">${title}</span>`}
<p>${withMarks(excerpt, terms)}</p>
</li>
`,
  )}</ol>`
}

/** Marks the found words in a text. */
function withMarks(text: string, terms: readonly string[]): readonly (Html | string)[] {
  const anyTerm = terms.map((term) => term.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')
  if (anyTerm === '') return [text]
  return text
    .split(RegExp(`(${anyTerm})`, 'iu'))
    .map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : part))
}

/** Renders the search form. The narrow form has no button; Enter sends it. */
const renderSearchForm = (controlPath: string, { query = '', isNarrow = false } = {}): Html =>
  html`<form class="row" method="get" action="${controlPath}/docs/search" role="search">
<label class="unseen" for="q">Search the documents</label>
<input id="q" name="q" type="search" value="${query}" placeholder="Search the documents" autocomplete="off" autocapitalize="none" spellcheck="false">
${!isNarrow && html`<button class="secondary">Search</button>`}
</form>`

const renderPage = (
  frame: ConsoleFrame,
  content: { title: string; lead: Html; body: Html },
): RenderedPage =>
  renderConsolePage(frame, {
    ...content,
    current: 'docs',
    styles: ['documents.css'],
    scripts: ['copy.js'],
  })

/**
 * Creates the function that resolves the links of a document: to its own sections, other documents,
 * served files and other sites. A file that is not served is linked in the repository, if the
 * package names one; a picture that is not served is left out.
 */
function createAddressFinder(from: string, { controlPath, shell }: ConsoleFrame): FindAddress {
  const files = linkedFiles()
  const repository = packageRepository()
  return (target) => {
    // A URL with a placeholder is not a link: http://localhost:PORT
    if (/^(?:https?|mailto):/i.test(target)) return URL.canParse(target) ? target : undefined
    const [path = '', fragment] = target.split('#')
    const hash = fragment === undefined ? '' : `#${fragment}`
    if (path === '') return hash
    const linked = linkedFile(from, path)
    const document = findDocuments().find(({ file }) => file === linked)
    if (document) return `${controlPath}/docs/${document.name}${hash}`
    if (files.includes(linked)) return `${controlPath}/${linked}`
    if (linked.endsWith('.webp')) return undefined
    return repository && `${repository}/blob/v${shell.version}/${linked}`
  }
}
