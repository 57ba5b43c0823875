import * as z from 'zod'
import { findDocument, findDocuments, type PackageDocument } from '../../documents/documents.ts'
import { MAX_FOUND, MAX_QUERY, searchDocuments } from '../../documents/search.ts'
import { counted } from '../../http/html/elements.ts'
import { Refusal } from '../../oidc/refusal.ts'
import { nearest, unknownName } from '../../text/message-parts.ts'
import { defineTool, listText } from '../tool.ts'

export const searchDocumentsTool = defineTool({
  name: 'search_documents',
  title: 'Search the documents',
  description:
    'Searches the documents of this version: sections that have all words of the query, the best first. Then read one with read_document. Example: {"query":"redirect_uri not registered"}. An empty query lists all documents.',
  effect: 'reads',
  input: z.strictObject({
    query: z.string().max(MAX_QUERY).describe('Words, the id of a rule, or the name of an outcome'),
    limit: z.int().min(1).max(MAX_FOUND).optional().describe('At most so many sections (default 8)'),
  }),
  async run({ query, limit = 8 }) {
    if (query.trim() === '') {
      const documents = findDocuments().map(({ name, title, line, group }) => ({ name, title, line, group }))
      const lines = documents.map(({ name, title, line }) => `${name} (${title}): ${line}`)
      return { data: { documents }, text: listText(`${counted(documents.length, 'document')}:`, lines) }
    }
    const found = (await searchDocuments(query, limit)).map(({ document, heading, anchor, excerpt }) => {
      return { document, section: anchor, heading, excerpt }
    })
    const lines = found.map(
      ({ document, section, heading, excerpt }) => `${document}#${section} (${heading}): ${excerpt}`,
    )
    const head =
      found.length === 0 ? 'No section has all of these words; try one word less.' : 'Sections, the best first:'
    return { data: { found }, text: listText(head, lines) }
  },
})

/** Characters of one answer: a longer document is read section by section. */
const MAX_CHARACTERS = 20_000

export const readDocument = defineTool({
  name: 'read_document',
  title: 'Read a document',
  description: `Gives the Markdown of a document of this version, or of one section with what stands below it. Of a document of more than ${MAX_CHARACTERS} characters it gives the beginning and the names of its sections. Examples: {"name":"library"}; {"name":"rules","section":"use"}.`,
  effect: 'reads',
  input: z.strictObject({
    name: z.string().describe('The name of a document as search_documents gives it, for example "library"'),
    section: z.string().optional().describe('The anchor of a section, for example "in-tests"'),
  }),
  async run({ name, section }) {
    const document = findDocument(name)
    if (document === undefined)
      throw unknown('name', 'document', { name, known: findDocuments().map((one) => one.name) })
    const markdown = section === undefined ? document.markdown : readSection(document, section)
    const isWhole = markdown.length <= MAX_CHARACTERS
    const sections = document.sections.map(({ anchor }) => anchor)
    const rest = `\n\nThis is the beginning of ${markdown.length} characters. Read on by section: ${sections.join(', ')}`
    const text = isWhole ? markdown : `${markdown.slice(0, MAX_CHARACTERS)}${rest}`
    return { data: { name, title: document.title, ...(isWhole ? {} : { sections }) }, text }
  },
})

/** A section with those of deeper levels below it. */
function readSection({ sections }: PackageDocument, anchor: string): string {
  const start = sections.findIndex((one) => one.anchor === anchor.toLowerCase())
  const first = sections[start]
  if (first === undefined) {
    throw unknown('section', 'section', { name: anchor, known: sections.map((one) => one.anchor) })
  }
  const next = sections.findIndex(({ depth }, index) => index > start && depth <= first.depth)
  return sections
    .slice(start, next < 0 ? undefined : next)
    .map(({ markdown }) => markdown)
    .join('')
}

const unknown = (argument: string, kind: string, { name, known }: { name: string; known: readonly string[] }) =>
  Refusal.notFound(`${argument}: ${unknownName(kind, name, known)}`, { suggestions: nearest(name, known) })
