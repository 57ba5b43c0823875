import * as z from 'zod'
import { counted } from '../../../server/http/html/elements.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import { nearest, unknownName } from '../../../service/text/message-parts.ts'
import { findDocuments, type PackageDocument } from '../../documents/documents.ts'
import type { Section } from '../../documents/markdown.ts'
import { MAX_FOUND, MAX_QUERY, searchDocuments } from '../../documents/search.ts'
import { defineTool, listText } from '../tool.ts'

export const searchDocumentsTool = defineTool({
  name: 'search_documents',
  title: 'Search the documents',
  description:
    'Searches the documents of this version: sections that have all words of the query, the best first. Then read one with read_document. Example: {"query":"redirect_uri not registered"}. An empty query lists all documents.',
  effect: 'reads',
  input: z.strictObject({
    query: z.string().max(MAX_QUERY).describe('Words, the id of a rule, or the name of an outcome'),
    limit: z
      .int()
      .min(1)
      .max(MAX_FOUND)
      .optional()
      .describe('At most so many sections (default 8)'),
  }),
  async run({ query, limit = 8 }) {
    if (query.trim() === '') {
      const documents = findDocuments().map(({ name, title, line, group }) => ({
        name,
        title,
        line,
        group,
      }))
      const lines = documents.map(({ name, title, line }) => `${name} (${title}): ${line}`)
      return {
        data: { documents },
        text: listText(`${counted(documents.length, 'document')}:`, lines),
      }
    }
    const found = (await searchDocuments(query, limit)).map(
      ({ document, heading, anchor, excerpt }) => {
        return { document, section: anchor, heading, excerpt }
      },
    )
    const lines = found.map(
      ({ document, section, heading, excerpt }) =>
        `${document}#${section} (${heading}): ${excerpt}`,
    )
    const head =
      found.length === 0
        ? 'No section has all of these words; try one word less.'
        : 'Sections, the best first:'
    return { data: { found }, text: listText(head, lines) }
  },
})

/** Maximum number of characters in one answer. A longer text continues at an offset. */
const MAX_CHARACTERS = 20_000

export const readDocument = defineTool({
  name: 'read_document',
  title: 'Read a document',
  description: `Gives the Markdown of a document of this version, or of one section with what stands below it. Of more than ${MAX_CHARACTERS} characters it gives as many from an offset, and the names of the sections. Examples: {"name":"library"}; {"name":"rules","section":"e1-use-authorization"}; {"name":"outcomes#use-e1","offset":${MAX_CHARACTERS}}.`,
  effect: 'reads',
  input: z.strictObject({
    name: z
      .string()
      .describe('The name of a document as search_documents gives it, for example "library"'),
    section: z
      .string()
      .optional()
      .describe('The anchor or the heading of a section, for example "in-tests"'),
    offset: z.int().min(0).optional().describe('Characters to leave out, to read on'),
  }),
  async run({ name: asked, section, offset = 0 }) {
    const [path = '', anchor] = asked.split('#')
    const document = find(path.replaceAll(/^.*\/|\.md$/gi, ''), findDocuments(), {
      kind: 'document',
      nameOf: ({ name }) => name,
    })
    const { name, title } = document
    const heading = section ?? anchor
    const sections = heading === undefined ? document.sections : readSection(document, heading)
    const markdown =
      heading === undefined ? document.markdown : sections.map((one) => one.markdown).join('')
    const end = offset + MAX_CHARACTERS
    if (end >= markdown.length) return { data: { name, title }, text: markdown.slice(offset) }
    const anchors = sections.map((one) => one.anchor)
    const bySection = anchors.length === 1 ? '' : `, or by section: ${anchors.join(', ')}`
    const rest = `These are the characters ${offset} to ${end} of ${markdown.length}. Read on with offset ${end}${bySection}`
    return {
      data: { name, title, sections: anchors, next_offset: end },
      text: `${markdown.slice(offset, end)}\n\n${rest}`,
    }
  },
})

/** A section with its subsections. */
function readSection({ sections }: PackageDocument, heading: string): readonly Section[] {
  const first = find(heading, sections, { kind: 'section', nameOf: ({ anchor }) => anchor })
  const start = sections.indexOf(first)
  const next = sections.findIndex(({ depth }, index) => index > start && depth <= first.depth)
  return sections.slice(start, next < 0 ? undefined : next)
}

/**
 * Finds an item by name, ignoring case and punctuation: `Use (E1)` and `#use-e1` both find
 * `use-e1`.
 * @throws Refusal 404 with the nearest names
 */
function find<Item>(
  asked: string,
  items: readonly Item[],
  { kind, nameOf }: { kind: 'document' | 'section'; nameOf(item: Item): string },
): Item {
  const item = items.find((one) => lettersOf(nameOf(one)) === lettersOf(asked))
  if (item !== undefined) return item
  const known = items.map(nameOf)
  const argument = kind === 'document' ? 'name' : kind
  throw Refusal.notFound(`${argument}: ${unknownName(kind, asked, known)}`, {
    suggestions: nearest(asked, known),
  })
}

const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
