/** The types of a report that the library publishes; `build/shapes.ts` writes them out. */
import type { AuditReport as WholeReport } from './audit-report.ts'

export type { AuditedRow } from './audit-report.ts'

/** The report without the members that only the next run and the console read. */
export type AuditReport = Omit<WholeReport, 'learned' | 'readings' | 'first_started_at'>
