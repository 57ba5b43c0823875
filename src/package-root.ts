import { readFileSync } from 'node:fs'

/**
 * The folder of the package, with a trailing slash. It is correct for `src/` and for the bundle in
 * `dist/`.
 */
export const packageRoot = new URL('..', import.meta.url)

/** The version in `package.json`. */
export function packageVersion(): string {
  return String(memberOf(readManifest(), 'version') ?? '')
}

/**
 * The URL of the repository in `package.json`: `https://github.com/owner/name`. `undefined` while
 * the URL has the placeholder `OWNER`, which `.ci/set-repository` replaces before the first
 * release.
 */
export function packageRepository(manifest: unknown = readManifest()): string | undefined {
  const repository = memberOf(manifest, 'repository')
  const url = memberOf(repository, 'url') ?? repository
  return typeof url === 'string' && !url.includes('/OWNER/')
    ? url.replace(/^git\+/, '').replace(/\.git$/, '')
    : undefined
}

function readManifest(): unknown {
  return JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8'))
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return new Map<string, unknown>(Object.entries(value)).get(name)
}
