import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { visible } from '../../files/visible.ts'
import { generatePersonas, MAX_GENERATED, MAX_SEED } from '../../sandbox/personas/generate-personas.ts'
import type { Persona } from '../../sandbox/personas/persona-schema.ts'
import { personasYaml, personaYaml } from '../../sandbox/personas/persona-yaml.ts'
import { quote } from '../../text/message-parts.ts'
import { print, printText } from '../terminal.ts'

interface Options {
  readonly seed?: string
  readonly out?: string
  readonly json?: boolean
}

/**
 * Writes made-up personas to stdout, or each to a file of its own.
 * @throws ConfigError when a number cannot be used, or a file is there already: then none is written
 */
export async function generate(count: string, { seed = '1', out, json = false }: Options): Promise<void> {
  const wanted = readNumber(count, { what: 'the number of personas', least: 1, most: MAX_GENERATED })
  const chosen = readNumber(seed, { what: '--seed', least: 0, most: MAX_SEED })
  const personas = await generatePersonas(wanted, chosen)
  const command = `agekey-sandbox personas generate ${wanted} --seed ${chosen}`
  if (out !== undefined) {
    writeFiles(out, personas)
    const names = personas.map(({ name }) => name)
    print(
      json
        ? JSON.stringify({ folder: out, names }, undefined, 2)
        : visible(`${out}: ${names.length} written: ${names.join(', ')}`),
    )
    return
  }
  printText(json ? `${JSON.stringify({ personas }, undefined, 2)}\n` : `# ${command}\n${personasYaml(personas)}`)
}

function readNumber(text: string, { what, least, most }: { what: string; least: number; most: number }): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw ConfigError.of(`${what}: ${quote(text)} must be a whole number from ${least} to ${most}`)
}

function writeFiles(folder: string, personas: readonly Persona[]): void {
  const files = personas.map((persona) => ({ file: join(folder, `${persona.name}.yaml`), text: personaYaml(persona) }))
  const taken = files.filter(({ file }) => existsSync(file))
  if (taken.length > 0) {
    const message = 'is there already and stays as it is; take another folder or another --seed. Nothing was written'
    throw ConfigError.inFiles(taken.map(({ file }) => ({ file, message })))
  }
  try {
    mkdirSync(folder, { recursive: true })
    for (const { file, text } of files) writeFileSync(file, text, { flag: 'wx' })
  } catch (cause) {
    const reason =
      codeOf(cause) === 'EEXIST' ? 'is there already, and is no folder' : `cannot be written: ${messageOf(cause)}`
    throw ConfigError.inFiles([{ file: folder, message: reason }], { cause })
  }
}
