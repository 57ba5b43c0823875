/** Where traps stand, below the base URL of a tenant. */
export const TRAP_PATH = '/_sandbox/trap'

/** An address that no relying party has a reason to fetch: whoever does follows a link that an attacker wrote. */
export const trapUrl = (baseUrl: string, id: string) => `${baseUrl}${TRAP_PATH}/${id}`
