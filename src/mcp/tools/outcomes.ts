import * as z from 'zod'
import { explainName } from '../../client/explain-name.ts'
import { contains } from '../../http/form.ts'
import { counted } from '../../http/html/elements.ts'
import { Refusal } from '../../oidc/refusal.ts'
import { OUTCOMES } from '../../sandbox/outcomes/catalogue.ts'
import { OUTCOME_FLOWS } from '../../sandbox/outcomes/outcome.ts'
import { quote } from '../../text/message-parts.ts'
import { defineTool, listText } from '../tool.ts'

const DEFAULT_LISTED = 50

export const listOutcomesTool = defineTool({
  name: 'list_outcomes',
  title: 'List outcomes',
  description:
    'Lists the endings that can be forced: what users do (access_denied), what the service does (server_error, token.500), and wrong answers that an app must refuse (id_token.expired). Each row says whether a correct client accepts or refuses it, and how binding that is: must, should or may. Use it to plan a test for each outcome; explain says all of one.',
  effect: 'reads',
  input: z.strictObject({
    find: z
      .string()
      .optional()
      .describe('Words that all stand in name, summary or rule, for example "signature" or "id_token nonce"'),
    flow: z.enum(OUTCOME_FLOWS).optional().describe('Only endings of this flow or call'),
    correct_client: z
      .enum(['accept', 'refuse', 'depends'])
      .optional()
      .describe('Only endings that a correct client accepts, or refuses'),
    limit: z.int().min(1).max(500).optional().describe(`At most so many rows (default ${DEFAULT_LISTED})`),
  }),
  async run({ find = '', flow, correct_client, limit = DEFAULT_LISTED }) {
    const words = find.split(/\s+/)
    const matching = OUTCOMES.filter(
      (row) =>
        (flow === undefined || row.flow === flow) &&
        (correct_client === undefined || row.correctClient === correct_client) &&
        words.every((word) => contains(word, [row.name, row.summary, row.rule])),
    )
    const outcomes = matching.slice(0, limit).map((row) => ({
      name: row.name,
      flow: row.flow,
      summary: row.summary,
      correct_client: row.correctClient,
      level: row.level,
    }))
    const lines = outcomes.map(
      (row) => `${row.flow}/${row.name} (client: ${row.correct_client}, ${row.level}): ${row.summary}`,
    )
    const head =
      outcomes.length < matching.length
        ? `The first ${outcomes.length} of ${matching.length} outcomes; narrow them down by find or flow:`
        : `${counted(matching.length, 'outcome')}:`
    return { data: { outcomes, total: matching.length }, text: listText(head, lines) }
  },
})

export const explainTool = defineTool({
  name: 'explain',
  title: 'Explain a rule or an outcome',
  description:
    'Explains a rule ("USE-04": error bodies and findings name it) or an outcome ("id_token.expired", "use/access_denied"): what holds, where it is demanded, what a correct client does, how to mend an app, and how to force an outcome by query, header, library or curl.',
  effect: 'reads',
  input: z.strictObject({ name: z.string().describe('The id of a rule, or the name of an outcome') }),
  async run({ name }, { sandbox }) {
    const explained = explainName(name, { baseUrl: sandbox.baseUrl })
    if (explained.kind === 'unknown') {
      const { message, suggestions } = explained
      throw Refusal.notFound(suggestions.length === 0 ? noneNamed(name) : message, { suggestions })
    }
    const { lines, ...data } = explained
    return { data, text: lines.join('\n') }
  },
})

const noneNamed = (name: string) =>
  `name: there is no rule and no outcome ${quote(name)}. list_outcomes lists the outcomes, read_document {"name":"rules"} the rules; explain_flow explains a flow, and search_documents finds a reading.`
