import type { Dirent } from 'node:fs'

/**
 * Whether an entry of a persona folder is a persona file. Hidden files belong to editors and
 * Kubernetes.
 */
export const isPersonaFile = (entry: Dirent): boolean =>
  !entry.isDirectory() && /^[^.].*\.ya?ml$/i.test(entry.name)
