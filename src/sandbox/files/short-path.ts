import { relative, sep } from 'node:path'

/** A path for messages: relative if it is inside `cwd`, otherwise unchanged. */
export function shortPath(cwd: string, path: string): string {
  const inside = relative(cwd, path)
  return inside.startsWith(`..${sep}`) ? path : inside
}
