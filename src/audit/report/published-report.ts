/** The report types that the library publishes. `build/shapes.ts` generates their declarations. */
import type { AuditReport as WholeReport } from './audit-report.ts'

export type { AuditedRow } from './audit-report.ts'

/** The report without the members for the next run and the console. */
export type AuditReport = Omit<WholeReport, 'learned' | 'readings' | 'first_started_at'>
