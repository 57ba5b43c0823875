import type { Tool } from './tool.ts'
import { decideNext } from './tools/decide-next.ts'
import { readDocument, searchDocumentsTool } from './tools/documents.ts'
import { explainFlow, listFlows } from './tools/flows.ts'
import { explain, listOutcomes } from './tools/outcomes.ts'
import { evaluate, listPersonas } from './tools/personas.ts'
import { clock, reset } from './tools/state.ts'

/** The tools of the MCP endpoint, in the order of their list. */
export const TOOLS: readonly Tool[] = [
  listPersonas,
  listOutcomes,
  decideNext,
  listFlows,
  explainFlow,
  explain,
  evaluate,
  clock,
  reset,
  searchDocumentsTool,
  readDocument,
]
