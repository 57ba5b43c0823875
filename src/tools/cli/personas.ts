import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClock } from '../../sandbox/clock/clock.ts'
import { codeOf, messageOf } from '../../sandbox/files/caught.ts'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { resolvePersona } from '../../sandbox/personas/age-keys.ts'
import {
  generatePersonas,
  MAX_GENERATED,
  MAX_SEED,
} from '../../sandbox/personas/generate-personas.ts'
import { loadPersonas } from '../../sandbox/personas/load-personas.ts'
import { personasYaml, personaYaml, readPersonas } from '../../sandbox/personas/persona-files.ts'
import { groupOf, type Persona } from '../../sandbox/personas/persona-schema.ts'
import { loadSettings } from '../../server/config/load-settings.ts'
import type { Texts } from '../../server/config/text-settings.ts'
import { quote, unknownName } from '../../service/text/message-parts.ts'
import { visible } from '../../service/text/visible.ts'
import { alignColumns, paint, print, printJson, printText } from './terminal.ts'

interface Format {
  readonly json?: boolean
}

/** Lists the built-in personas and the personas of `--personas`, by group. */
export async function listPersonas(flags: Texts, { json = false }: Format): Promise<void> {
  const personas = await knownPersonas(flags)
  if (json) return printJson({ personas })
  for (const group of new Set(personas.map(groupOf))) {
    print(paint('bold', group))
    const rows = personas
      .filter((persona) => groupOf(persona) === group)
      .map(({ name, purpose }) => [name, purpose])
    for (const line of alignColumns(rows)) print(`  ${visible(line)}`)
  }
}

/**
 * Shows one persona, with its relative dates resolved for today.
 * @throws ConfigError with similar names for an unknown name
 */
export async function showPersona(
  flags: Texts,
  name: string,
  { json = false }: Format,
): Promise<void> {
  const personas = await knownPersonas(flags)
  const persona = personas.find((candidate) => candidate.name === name)
  if (persona === undefined) {
    const names = personas.map((known) => known.name)
    throw ConfigError.of(unknownName('persona', name, names))
  }
  if (json) return printJson(persona)
  print(personaYaml(persona).trimEnd())
}

/**
 * Checks persona files and folders without starting a sandbox.
 * @returns whether all personas are valid; false only with `json`, which prints the problems
 * @throws ConfigError with a line for each problem, without `json`
 */
export function checkPersonas(paths: readonly string[], { json = false }: Format): boolean {
  try {
    const names = readPersonas(paths).map(({ name }) => name)
    const count = names.length === 1 ? '1 persona is' : `${names.length} personas are`
    if (json) printJson({ personas: names, problems: [] })
    else print(visible(`${paths.join(', ')}: ${count} fine: ${names.join(', ')}`))
    return true
  } catch (error) {
    if (!json || !(error instanceof ConfigError) || error.problems.length === 0) throw error
    printJson({ personas: [], problems: error.problems })
    return false
  }
}

/** The built-in personas and the personas of `--personas`, with relative dates resolved. */
async function knownPersonas(flags: Texts): Promise<Persona[]> {
  const { sandbox } = await loadSettings({ flags })
  const now = createClock().base()
  return (await loadPersonas(sandbox.personas)).map((persona) => resolvePersona(persona, now))
}

interface GenerateOptions extends Format {
  readonly seed?: string
  readonly out?: string
}

/**
 * Generates personas, and writes them to stdout, or with `out` to one file each.
 * @throws ConfigError when a number is out of range, or when a file exists: then no file is written
 */
export async function generate(
  count: string,
  { seed = '1', out, json = false }: GenerateOptions,
): Promise<void> {
  const wanted = readWhole(count, { what: 'the number of personas', least: 1, most: MAX_GENERATED })
  const chosen = readWhole(seed, { what: '--seed', least: 0, most: MAX_SEED })
  const personas = await generatePersonas(wanted, chosen)
  if (out === undefined) {
    if (json) return printJson({ personas })
    return printText(
      `# agekey-sandbox personas generate ${wanted} --seed ${chosen}\n${personasYaml(personas)}`,
    )
  }
  writeFiles(out, personas)
  const names = personas.map(({ name }) => name)
  if (json) return printJson({ folder: out, names })
  print(visible(`${out}: ${names.length} written: ${names.join(', ')}`))
}

function readWhole(
  text: string,
  { what, least, most }: { what: string; least: number; most: number },
): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw ConfigError.of(`${what}: ${quote(text)} must be a whole number from ${least} to ${most}`)
}

function writeFiles(folder: string, personas: readonly Persona[]): void {
  const files = personas.map((persona) => ({
    file: join(folder, `${persona.name}.yaml`),
    text: personaYaml(persona),
  }))
  const taken = files.filter(({ file }) => existsSync(file))
  if (taken.length > 0) {
    const message =
      'is there already and stays as it is; take another folder or another --seed. Nothing was written'
    throw ConfigError.inFiles(taken.map(({ file }) => ({ file, message })))
  }
  try {
    mkdirSync(folder, { recursive: true })
    for (const { file, text } of files) writeFileSync(file, text, { flag: 'wx' })
  } catch (cause) {
    const reason =
      codeOf(cause) === 'EEXIST'
        ? 'is there already, and is no folder'
        : `cannot be written: ${messageOf(cause)}`
    throw ConfigError.inFiles([{ file: folder, message: reason }], { cause })
  }
}
