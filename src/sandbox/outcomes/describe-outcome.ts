import type { Outcome } from './outcome.ts'

/** A row as programs read it: the same in `GET catalog` and in `agekey-sandbox outcomes --json`. */
export function describeOutcome(row: Outcome) {
  const { needs, prelude } = row
  return {
    name: row.name,
    flow: row.flow,
    seam: row.seam,
    summary: row.summary,
    rule: row.rule,
    correct_client: row.correctClient,
    family: row.family,
    level: row.level,
    severity: row.severity,
    cwe: row.cwe.map((id) => `CWE-${id}`),
    refs: row.refs,
    harm: row.harm,
    bait: row.bait,
    layer: row.layer,
    breaks: row.breaks,
    twin: row.twin,
    since: row.since,
    ...(needs ? { needs } : {}),
    ...(prelude ? { prelude } : {}),
  }
}
