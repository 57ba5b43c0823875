import { packageRepository } from '../package-root.ts'
import { findDocuments, type PackageDocument } from './documents.ts'
import { linkedFile, linkedFiles } from './files.ts'
import type { FindAddress } from './render-markdown.ts'

/** The path of the documents of a sandbox. */
export interface DocumentsPlace {
  /** The prefix of the tenant, or its base URL for links outside of a page. */
  readonly basePath: string
  readonly version: string
}

/** The index of the documents. */
export const indexAddress = ({ basePath }: Pick<DocumentsPlace, 'basePath'>): string => `${basePath}/_sandbox/docs`

/** The page of a document. */
export const pageAddress = (place: Pick<DocumentsPlace, 'basePath'>, name: string): string =>
  `${indexAddress(place)}/${name}`

/** A document as Markdown: at its path in the package, so that its relative links work. */
export const markdownAddress = ({ basePath }: Pick<DocumentsPlace, 'basePath'>, file: string): string =>
  `${basePath}/_sandbox/${file}`

/**
 * Resolves the links of a document: to its own sections, other documents, files beside them, and other sites. A file outside the package
 * is linked in the repository, if the package names one; a picture of it is left out.
 */
export function createAddressFinder({ file }: PackageDocument, place: DocumentsPlace): FindAddress {
  const files = linkedFiles()
  const repository = packageRepository()
  return (target) => {
    // A URL with a part to fill in is no link: http://localhost:PORT
    if (/^(?:https?|mailto):/i.test(target)) return URL.canParse(target) ? target : undefined
    const [path = '', fragment] = target.split('#')
    const hash = fragment === undefined ? '' : `#${fragment}`
    if (path === '') return hash
    const linked = linkedFile(file, path)
    const document = findDocuments().find((one) => one.file === linked)
    if (document) return `${pageAddress(place, document.name)}${hash}`
    if (files.includes(linked)) return `${place.basePath}/_sandbox/${linked}`
    if (linked.endsWith('.webp')) return undefined
    return repository && `${repository}/blob/v${place.version}/${linked}`
  }
}
