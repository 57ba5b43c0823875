import { stringify } from 'yaml'
import type { Persona } from './persona-schema.ts'

/** A persona as the text of a persona file; its dates stay relative. */
export const personaYaml = (persona: Persona): string => stringify(persona, OPTIONS)

/** Several personas as the text of one file: a list under `personas`. */
export const personasYaml = (personas: readonly Persona[]): string => stringify({ personas }, OPTIONS)

/** Long sentences stay on their line, and each persona stands alone without anchors. */
const OPTIONS = { lineWidth: 0, aliasDuplicateObjects: false }
