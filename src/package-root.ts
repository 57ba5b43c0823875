import { readFileSync } from 'node:fs'

/** The folder of the package, with a slash at its end. Right from `src/` and from the bundle in `dist/`. */
export const packageRoot = new URL('..', import.meta.url)

/** The version in `package.json`. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8'))
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : ''
  return String(version)
}
