import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { stringify } from 'yaml'
import type * as z from 'zod'
import { isJsonObject } from '../../service/age/json-object.ts'
import { codeOf, messageOf } from '../files/caught.ts'
import { ConfigError, type FileProblem } from '../files/config-error.ts'
import { requireText } from '../files/text-file.ts'
import { parseYamlDocument } from '../files/yaml-document.ts'
import { isPersonaFile } from './persona-folder.ts'
import { type Persona, personaSchema, personasSchema } from './persona-schema.ts'

/**
 * Reads the personas of `paths`.
 * @param mayBeEmpty folders of `paths` that may hold no persona file
 * @throws ConfigError with the problems of all files, or when two personas have the same name
 */
export function readPersonas(
  paths: readonly string[],
  mayBeEmpty: readonly string[] = [],
): Persona[] {
  const problems: FileProblem[] = []
  const listFiles = (path: string) => listPersonaFiles(path, mayBeEmpty.includes(path))
  const files = collect(distinct(paths), listFiles, problems)
  const read = (file: string) => readPersonaFile(file).map((persona) => ({ file, persona }))
  const declared = new Map<string, string>()
  const personas: Persona[] = []
  for (const { file, persona } of collect(distinct(files), read, problems)) {
    const other = declared.get(persona.name)
    if (other !== undefined) {
      problems.push({
        file,
        message: `name: "${persona.name}" is declared in ${other} too; rename one of them`,
      })
    }
    declared.set(persona.name, file)
    personas.push(persona)
  }
  if (problems.length > 0) throw ConfigError.inFiles(problems)
  return personas
}

/**
 * Reads a file with one persona, a list of personas, or a mapping with the list `personas`. The
 * name of the file does not matter.
 * @throws ConfigError with all problems of the file
 */
export function readPersonaFile(file: string): readonly Persona[] {
  return parseYamlDocument(requireText(file), { file, schema: schemaOf })
}

/** One persona and a list have separate schemas, which give better messages than a union. */
function schemaOf(value: unknown): z.ZodType<readonly Persona[]> {
  if (Array.isArray(value)) return personasSchema.shape.personas
  return isJsonObject(value) && Object.hasOwn(value, 'personas') ? LIST : ONE
}
const ONE = personaSchema.transform((persona) => [persona])
const LIST = personasSchema.transform(({ personas }) => personas)

/** Removes duplicate paths, and keeps the spelling of the last duplicate for messages. */
function distinct(paths: readonly string[]): string[] {
  return [...new Map(paths.map((path) => [resolve(path), path])).values()]
}

/** Maps items by `read`, and collects errors in `problems`, so that one run reports all files. */
function collect<T>(
  items: readonly string[],
  read: (item: string) => readonly T[],
  problems: FileProblem[],
): T[] {
  return items.flatMap((item) => {
    try {
      return read(item)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.problems)
      return []
    }
  })
}

function listPersonaFiles(path: string, mayBeEmpty: boolean): string[] {
  if (!reading(path, () => statSync(path).isDirectory())) return [path]
  const files = reading(path, () => readdirSync(path, { withFileTypes: true }))
    .filter(isPersonaFile)
    .map((entry) => join(path, entry.name))
    .sort()
  if (files.length > 0 || mayBeEmpty) return files
  throw ConfigError.inFiles([
    {
      file: path,
      message: 'holds no *.yaml file; write one persona per file, or a list under personas',
    },
  ])
}

/** Converts errors of the operating system into problems of the file. */
function reading<T>(file: string, act: () => T): T {
  try {
    return act()
  } catch (cause) {
    const message =
      codeOf(cause) === 'ENOENT' ? 'no such file or folder' : `cannot be read: ${messageOf(cause)}`
    throw ConfigError.inFiles([{ file, message }], { cause })
  }
}

/** A persona as the text of a persona file. Dates stay relative. */
export const personaYaml = (persona: Persona): string => stringify(persona, OPTIONS)

/** Several personas as the text of one file: a list under `personas`. */
export const personasYaml = (personas: readonly Persona[]): string =>
  stringify({ personas }, OPTIONS)

/** Lines are not folded, and personas are not shared by anchors. */
const OPTIONS = { lineWidth: 0, aliasDuplicateObjects: false }
