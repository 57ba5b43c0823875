import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import { readPersonas } from '../../../src/sandbox/personas/persona-files.ts'

const ROOT = new URL('../../../', import.meta.url)

test('The names that an editor completes are those of the personas and outcomes; `npm run docs` writes them', async () => {
  const personas = readPersonas([fileURLToPath(new URL('personas', ROOT))]).map(({ name }) => name)
  const text = `// Written by \`npm run docs\`: an editor completes these names.

// biome-ignore format: one name a line would take hundreds of them
/** A built-in persona. */
export type PersonaName =${unionOf(personas)}

// biome-ignore format: one name a line would take hundreds of them
/** An outcome of the catalogue. */
export type OutcomeName =${unionOf(OUTCOMES.map(({ name }) => name))}

/** A built-in persona, or one of your own. */
export type KnownPersona = PersonaName | (string & Record<never, never>)

/** An outcome of the catalogue; a name that is none is refused at run time. */
export type KnownOutcome = OutcomeName | (string & Record<never, never>)
`
  await expect(text).toMatchFileSnapshot(fileURLToPath(new URL('src/client/shapes/names.ts', ROOT)))
})

/** As many names on a line as it holds. */
function unionOf(names: readonly string[]): string {
  const lines = ['']
  for (const name of [...new Set(names)].toSorted()) {
    const line = `${lines.at(-1)} | '${name}'`
    if (line.length < 118) lines[lines.length - 1] = line
    else lines.push(` | '${name}'`)
  }
  return `\n${lines.map((line) => ` ${line}`).join('\n')}`
}
