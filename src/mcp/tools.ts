import type { Tool } from './tool.ts'
import { decideNext } from './tools/decide-next.ts'
import { readDocument, searchDocumentsTool } from './tools/documents.ts'
import { explainFlowTool, listFlows } from './tools/flows.ts'
import { explainTool, listOutcomesTool } from './tools/outcomes.ts'
import { evaluateTool, listPersonasTool } from './tools/personas.ts'
import { clock, resetTool } from './tools/state.ts'

/** The tools of the MCP endpoint, in the order of their list. */
export const TOOLS: readonly Tool[] = [
  listPersonasTool,
  listOutcomesTool,
  decideNext,
  listFlows,
  explainFlowTool,
  explainTool,
  evaluateTool,
  clock,
  resetTool,
  searchDocumentsTool,
  readDocument,
]
