/**
 * A broken rule, before it is decided whether it refuses the request: `rule` is the stable id of a row of
 * `oidc/rules.ts`, `path` leads from the checked value to the culprit, `message` says what is wrong and what would be right.
 */
export interface Issue {
  readonly rule: string
  readonly path: readonly (string | number)[]
  readonly message: string
}
