import type { Dirent } from 'node:fs'

/**
 * Whether an entry of a persona folder is read. Hidden files are those that editors and Kubernetes
 * make for themselves.
 */
export const isPersonaFile = (entry: Dirent): boolean =>
  !entry.isDirectory() && /^[^.].*\.ya?ml$/i.test(entry.name)
