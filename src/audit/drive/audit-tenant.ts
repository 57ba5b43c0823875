/** The name of a tenant that an audit makes for a copy of the app. @param run drawn for each audit, of lower-case letters and digits */
export const auditTenantName = (run: string, number: number): string => `audit-${run}-${number}`

const PATH = /\/t\/audit-[a-z0-9]+-\d+(?![\w-])/g

/** Takes the path of such a tenant out of a text: it differs from copy to copy. */
export const withoutAuditTenant = (text: string): string => text.replaceAll(PATH, '')
