import * as z from 'zod'
import type { SandboxApi, Transport } from '../../server/client/sandbox-api.ts'
import { parseWith } from '../../server/http/parse.ts'

/** The tenant that a tool drives, in this process. */
export interface ToolContext {
  readonly sandbox: SandboxApi
  /**
   * Makes a control call. Unlike `sandbox` it takes untyped input, which the operation's schema
   * checks.
   * @throws SandboxError when the call is refused
   */
  readonly call: Transport['call']
}

/** The answer of a tool, as data and as a short text. */
interface ToolAnswer {
  readonly data: Readonly<Record<string, unknown>>
  readonly text: string
}

/** The effect of a tool on the sandbox. Clients ask their user before `changes` and `discards`. */
export type Effect = 'reads' | 'changes' | 'discards'

export interface Tool {
  readonly name: string
  readonly title: string
  /** The purpose of the tool and when to use it, with units and examples. */
  readonly description: string
  readonly effect: Effect
  /** The JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /**
   * @throws Refusal for arguments that do not match the schema
   * @throws SandboxError when the sandbox refuses
   */
  run(args: unknown, context: ToolContext): Promise<ToolAnswer>
}

/** Creates a tool whose arguments are checked by the schema `input`. */
export function defineTool<Input extends z.ZodObject>({
  input,
  run,
  ...rest
}: Omit<Tool, 'inputSchema' | 'run'> & {
  readonly input: Input
  run(args: z.output<Input>, context: ToolContext): Promise<ToolAnswer>
}): Tool {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
  })
  return {
    ...rest,
    inputSchema,
    run: async (args, context) => run(parseWith(input, args, 'arguments'), context),
  }
}

/**
 * A list as text: a heading and one line for each item.
 * @example
 * listText('2 flows:', ['f2', 'f1']) // '2 flows:\n- f2\n- f1'
 */
export const listText = (head: string, lines: readonly string[]): string =>
  [head, ...lines.map((line) => `- ${line}`)].join('\n')
