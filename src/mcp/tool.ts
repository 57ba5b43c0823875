import * as z from 'zod'
import type { Transport } from '../client/create-sandbox-api.ts'
import type { SandboxApi } from '../client/sandbox-api.ts'
import { parseWith } from '../http/parse.ts'

/** The sandbox that a tool reads and drives: one tenant, in this process. */
export interface ToolContext {
  readonly sandbox: SandboxApi
  /** Makes a control call whose input is checked by its schema alone. @throws SandboxError when it is refused */
  readonly call: Transport['call']
}

/** What a tool answers: the same as data and as a short text. */
interface ToolAnswer {
  readonly data: Readonly<Record<string, unknown>>
  readonly text: string
}

/** What a tool does to the sandbox: clients ask their user before the second and the third. */
export type Effect = 'reads' | 'changes' | 'discards'

export interface Tool {
  readonly name: string
  readonly title: string
  /** What it does and when to use it, with units and examples. */
  readonly description: string
  readonly effect: Effect
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** @throws Refusal for arguments that are not as the schema says @throws SandboxError when the sandbox refuses */
  run(args: unknown, context: ToolContext): Promise<ToolAnswer>
}

/** A tool whose arguments are checked by `input`. */
export function defineTool<Input extends z.ZodObject>({
  input,
  run,
  ...rest
}: Omit<Tool, 'inputSchema' | 'run'> & {
  readonly input: Input
  run(args: z.output<Input>, context: ToolContext): Promise<ToolAnswer>
}): Tool {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  return { ...rest, inputSchema, run: async (args, context) => run(parseWith(input, args, 'arguments'), context) }
}

/** A list as text: a line before it, and a line for each item. */
export const listText = (head: string, lines: readonly string[]): string =>
  [head, ...lines.map((line) => `- ${line}`)].join('\n')
