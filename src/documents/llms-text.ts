import { grouped } from '../http/html/elements.ts'
import { findDocuments, type PackageDocument } from './documents.ts'

/**
 * The list of documents for language models (llmstxt.org): a title, what it is, and links to Markdown in groups.
 * @param addressOf the address of a document as Markdown
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
