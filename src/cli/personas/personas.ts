import { loadSettings } from '../../config/load-settings.ts'
import type { Texts } from '../../config/text-settings.ts'
import { ConfigError } from '../../files/config-error.ts'
import { visible } from '../../files/visible.ts'
import { createClock } from '../../sandbox/clock/clock.ts'
import { resolvePersona } from '../../sandbox/personas/age-keys.ts'
import { loadPersonas } from '../../sandbox/personas/load-personas.ts'
import { readPersonas } from '../../sandbox/personas/persona-files.ts'
import { groupOf, type Persona } from '../../sandbox/personas/persona-schema.ts'
import { personaYaml } from '../../sandbox/personas/persona-yaml.ts'
import { unknownName } from '../../text/message-parts.ts'
import { alignColumns, paint, print } from '../terminal.ts'

interface Format {
  readonly json?: boolean
}

/** Lists the built-in personas and those of `--personas`, by group. */
export async function listPersonas(flags: Texts, { json = false }: Format): Promise<void> {
  const personas = await knownPersonas(flags)
  if (json) {
    print(JSON.stringify({ personas: personas.map(withPlainDates) }, undefined, 2))
    return
  }
  for (const group of new Set(personas.map(groupOf))) {
    print(paint('bold', group))
    const rows = personas.filter((persona) => groupOf(persona) === group).map(({ name, purpose }) => [name, purpose])
    for (const line of alignColumns(rows)) print(`  ${visible(line)}`)
  }
}

/** Shows one persona with the dates that it has now. @throws ConfigError for an unknown name, with the nearest one */
export async function showPersona(flags: Texts, name: string, { json = false }: Format): Promise<void> {
  const personas = await knownPersonas(flags)
  const persona = personas.find((candidate) => candidate.name === name)
  if (persona === undefined) {
    const names = personas.map((known) => known.name)
    throw ConfigError.of(unknownName('persona', name, names))
  }
  const shown = withPlainDates(persona)
  print(json ? JSON.stringify(shown, undefined, 2) : personaYaml(shown).trimEnd())
}

/**
 * Checks persona files and folders without starting.
 * @returns whether all are fine
 * @throws ConfigError with a line for each problem; with `json` they are printed
 */
export function checkPersonas(paths: readonly string[], { json = false }: Format): boolean {
  try {
    const names = readPersonas(paths).map(({ name }) => name)
    const count = names.length === 1 ? '1 persona is' : `${names.length} personas are`
    const shown = json
      ? JSON.stringify({ personas: names, problems: [] }, undefined, 2)
      : visible(`${paths.join(', ')}: ${count} fine: ${names.join(', ')}`)
    print(shown)
    return true
  } catch (error) {
    if (!json || !(error instanceof ConfigError) || error.problems.length === 0) throw error
    print(JSON.stringify({ personas: [], problems: error.problems }, undefined, 2))
    return false
  }
}

async function knownPersonas(flags: Texts): Promise<Persona[]> {
  const { sandbox } = await loadSettings({ flags })
  return loadPersonas(sandbox.personas)
}

function withPlainDates(persona: Persona): Persona {
  return resolvePersona(persona, createClock().base())
}
