import { onDemand } from '../sandbox/files/on-demand.ts'

/*
 * What no flow needs is loaded by the first call that asks for it. This is the only file of
 * service, sandbox and server that names another group: without these groups the sandbox still
 * serves each flow.
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
