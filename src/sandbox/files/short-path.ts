import { relative, sep } from 'node:path'

/**
 * A path for messages: relative to the working folder when it lies in that folder, otherwise as it
 * is.
 */
export function shortPath(cwd: string, path: string): string {
  const inside = relative(cwd, path)
  return inside.startsWith(`..${sep}`) ? path : inside
}
