import { readdirSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { OutputBundle, Plugin } from 'rolldown'

interface BundledPackage {
  /** The folder with its `package.json`. */
  readonly folder: string
  readonly name: string
  readonly version: string
  /** An SPDX identifier: `MIT`. */
  readonly license: string
}

/**
 * Writes two files about the bundled packages: their licences, because the licences ask to be part
 * of every copy, and their list for scanners, because `dependencies` of the package names none.
 */
export const bundledPackages: Plugin = {
  name: 'bundled-packages',
  generateBundle(_options, bundle) {
    const packages = findPackages(bundle)
    this.emitFile({
      type: 'asset',
      fileName: 'THIRD-PARTY-LICENSES.txt',
      source: packages.map(licenceOf).join('\n\n'),
    })
    this.emitFile({
      type: 'asset',
      fileName: 'sbom.cdx.json',
      source: JSON.stringify(listPackages(packages), undefined, 2),
    })
  },
}

function findPackages(bundle: OutputBundle): BundledPackage[] {
  const folders = new Set<string>()
  for (const output of Object.values(bundle)) {
    const modules = output.type === 'chunk' ? output.moduleIds.filter(isAbsolute) : []
    for (const id of modules) {
      const folder = id.match(/^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]
      if (folder !== undefined) folders.add(folder)
    }
  }
  return [...folders].sort().map(readPackage)
}

function readPackage(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return { folder, name, version, license }
}

function licenceOf({ folder, name, version, license }: BundledPackage): string {
  const file = readdirSync(folder).find((candidate) => /^licen[cs]e(\.|$)/i.test(candidate))
  const text =
    file === undefined ? `License: ${license}` : readFileSync(join(folder, file), 'utf8').trim()
  return `${name} ${version}\n${'-'.repeat(40)}\n${text}\n`
}

/** The packages as a bill of materials (CycloneDX 1.6). The same sources give the same file. */
function listPackages(packages: readonly BundledPackage[]) {
  const self = readPackage(join(import.meta.dirname, '..'))
  const components = packages.map(componentOf)
  const dependsOn = components.map(({ purl }) => purl)
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: { ...componentOf(self), type: 'application' },
    },
    components,
    dependencies: [{ ref: componentOf(self).purl, dependsOn }],
  }
}

function componentOf({ name, version, license }: BundledPackage) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const names = name.startsWith('@')
    ? { group: name.slice(0, name.indexOf('/')), name: name.slice(name.indexOf('/') + 1) }
    : { name }
  return {
    type: 'library',
    ...names,
    version,
    'bom-ref': purl,
    licenses: [{ license: { id: license, acknowledgement: 'declared' } }],
    purl,
  }
}
