import { readFileSync } from 'node:fs'
import { packageRoot } from '../package-root.ts'
import { documentFiles } from './files.ts'
import { placeOf } from './groups.ts'
import { plainText, type Section, sectionsOf } from './markdown.ts'

/** A document of the package. */
export interface PackageDocument {
  /** The end of its URL: `audit`. */
  readonly name: string
  /** The path below the root of the package: `docs/audit.md`. */
  readonly file: string
  readonly title: string
  /** The subject in one sentence. */
  readonly line: string
  readonly group: string
  readonly markdown: string
  /** Sections; the first one has the title. */
  readonly sections: readonly Section[]
}

let found: readonly PackageDocument[] | undefined

/** All documents of the running version, group by group. */
export function findDocuments(): readonly PackageDocument[] {
  found ??= readDocuments()
  return found
}

/** The document with this name, such as `audit`; `undefined` when it does not exist. */
export const findDocument = (name: string): PackageDocument | undefined =>
  findDocuments().find((document) => document.name === name)

function readDocuments(): readonly PackageDocument[] {
  const placed = [...documentFiles()].map(([name, file]) => ({ name, file, place: placeOf(name) }))
  const inOrder = placed.sort((one, other) => one.place.order - other.place.order || (one.name < other.name ? -1 : 1))
  return inOrder.map(({ name, file, place: { group, line } }) => {
    const markdown = readFileSync(new URL(file, packageRoot), 'utf8')
    const sections = sectionsOf(markdown)
    const [first] = sections
    return { name, file, title: first?.heading ?? name, line: line ?? firstSentence(first), group, markdown, sections }
  })
}

/** A sentence ends before a capital letter or at the end of its paragraph; before a block a colon ends it. */
function firstSentence(section: Section | undefined): string {
  const paragraph = section?.tokens.find(({ type }) => type === 'paragraph')
  const text = plainText(paragraph === undefined ? [] : [paragraph]).trim()
  const [sentence = ''] = /^.*?(?:[.:!?](?=\s+[\p{Lu}]|$)|$)/su.exec(text) ?? []
  return sentence.replace(/:$/, '.')
}
