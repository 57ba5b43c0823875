/** Where a signal came from: `/provider` or `/provider/sub_provider` in lowercase letters, digits and underscores. */
export const PROVENANCE_PATH = /^(?:\/[a-z0-9_]+){1,2}$/

/** A filter on provenance paths: a path, or a prefix with a trailing `/*`. The pattern `/*` alone matches every path. */
export const PROVENANCE_PATTERN = /^(?:\/[a-z0-9_]+)*\/(?:[a-z0-9_]+|\*)$/

/** `/a/b` matches only itself; `/a/*` matches every path under `/a/`, but not `/a`. */
export function matchesPattern(pattern: string, path: string): boolean {
  return pattern.endsWith('/*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
}
