import { stringify } from 'yaml'
import type { Persona } from './persona-schema.ts'

/** A persona as the text of a persona file; its dates stay relative. */
export const personaYaml = (persona: Persona): string => stringify(persona, OPTIONS)

/** Several personas as the text of one file: a list under `personas`. */
export const personasYaml = (personas: readonly Persona[]): string => stringify({ personas }, OPTIONS)

/** No line is folded, and no persona refers to another by an anchor. */
const OPTIONS = { lineWidth: 0, aliasDuplicateObjects: false }
