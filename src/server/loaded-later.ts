import { onDemand } from '../sandbox/files/on-demand.ts'

/*
 * Modules that no flow needs. The first request that needs a module loads it. Within service,
 * sandbox and server, only this file names the groups workbench and tools: without these groups the
 * sandbox still serves every flow.
 */

/** The home page and the console. */
export const loadConsole = onDemand(() => import('../workbench/console/routes.ts'))
export const loadDemo = onDemand(() => import('../workbench/demo/routes.ts'))
/** The pages of `docs/`. */
export const loadDocuments = onDemand(() => import('../workbench/documents/routes.ts'))
/** The endpoint of the Model Context Protocol, with its SDK. */
export const loadMcp = onDemand(() => import('../workbench/mcp/server.ts'))
/** The export of a flow as a file. */
export const loadRecordings = onDemand(() => import('../tools/recordings/export-flow.ts'))
