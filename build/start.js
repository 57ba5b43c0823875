// `npm start`: bundles when a source is newer than the bundle, then runs the sandbox until npm
// ends.
import { readdirSync, statSync } from 'node:fs'

const SOURCES = ['src', 'personas', 'package-lock.json', 'rolldown.config.ts']

/** The time of the last change below a path; `0` for what is not there. */
function changedAt(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return 0
  if (!found.isDirectory()) return found.mtimeMs
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => changedAt(`${path}/${name}`)))
}

const BUNDLE = 'dist/bin.js'
if (changedAt(BUNDLE) < Math.max(...SOURCES.map(changedAt))) {
  console.error('Bundling the sources, once after each change ...')
  await import('./bundle.js')
}

// A signal that ends npm does not reach this process.
const npm = process.ppid
setInterval(() => process.ppid !== npm && process.kill(process.pid, 'SIGTERM'), 200).unref()

process.argv[1] = BUNDLE
await import(`../${BUNDLE}`)
