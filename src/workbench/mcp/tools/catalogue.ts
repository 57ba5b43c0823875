import * as z from 'zod'
import { reasoningLines } from '../../../sandbox/journal/reasoning-lines.ts'
import { OUTCOMES } from '../../../sandbox/outcomes/catalogue.ts'
import { explainName } from '../../../server/client/explain-name.ts'
import { OPERATIONS } from '../../../server/control/contract/contract.ts'
import { contains } from '../../../server/http/form.ts'
import { counted } from '../../../server/http/html/elements.ts'
import { CALLS } from '../../../service/oidc/endpoints.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import { quote } from '../../../service/text/message-parts.ts'
import { defineTool, listText } from '../tool.ts'

export const listPersonasTool = defineTool({
  name: 'list_personas',
  title: 'List personas',
  description:
    'Lists the test users of the sandbox: name, title and what each is for. With name it gives one of them with the age signals that it holds now. Use it to choose a persona for decide_next or evaluate.',
  effect: 'reads',
  input: z.strictObject({
    find: z
      .string()
      .optional()
      .describe('Only those with this text in name, title or purpose, for example "passport"'),
    name: z.string().optional().describe('One persona with its age signals, for example "teen-16"'),
  }),
  async run({ find = '', name }, { sandbox, call }) {
    if (name !== undefined) {
      const persona = await sandbox.personas.get(name)
      const signals = persona.age_key?.signals ?? []
      const lines = signals.map((signal) => JSON.stringify(signal))
      const holds =
        persona.age_key === undefined ? 'no age key' : counted(signals.length, 'age signal')
      return {
        data: { persona },
        text: listText(`${persona.name}: ${persona.purpose} It has ${holds}.`, lines),
      }
    }
    // The catalog operation is used because it has no age signals: resolving thousands of them
    // takes a second.
    const { personas } = await call('getCatalog', {})
    const found = personas.filter((one) => contains(find, [one.name, one.title, one.purpose]))
    const lines = found.map(({ name, title, purpose }) => `${name}: ${title}. ${purpose}`)
    return {
      data: { personas: found },
      text: listText(`${counted(found.length, 'persona')}:`, lines),
    }
  },
})

export const evaluateTool = defineTool({
  name: 'evaluate',
  title: 'Evaluate claims',
  description: `${OPERATIONS.evaluate.summary}. Ages are in years, now is an ISO 8601 instant. Example: {"claims":{"age_thresholds":[16,18],"allowed_methods":["id_doc_scan"]},"persona":"teen-16"}. Give exactly one of persona and signals.`,
  effect: 'reads',
  // Claims and signals have one-line descriptions, because their full schema has 27 kB. Findings
  // explain mistakes.
  input: OPERATIONS.evaluate.body.extend({
    claims: z.unknown().meta({
      type: 'object',
      description:
        'As a Use request sends it: age_thresholds, and any of allowed_methods, verified_after, provenance, overrides, iso_27566_1',
    }),
    signals: z.unknown().optional().meta({
      type: 'array',
      description: 'Age signals as a persona file or authorization_details has them',
    }),
  }),
  async run(question, { call }) {
    const evaluation = await call('evaluate', { body: question })
    const answers = Object.entries(evaluation.age_thresholds).map(
      ([age, yes]) => `${age}: ${yes ? 'yes' : 'no'}`,
    )
    return {
      data: evaluation,
      text: listText(`${answers.join(', ')}. Why:`, reasoningLines(evaluation.trace)),
    }
  },
})

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
      .describe(
        'Words that all stand in name, summary or rule, for example "signature" or "id_token nonce"',
      ),
    flow: z.enum(CALLS).optional().describe('Only endings of this flow or call'),
    correct_client: z
      .enum(['accept', 'refuse', 'depends'])
      .optional()
      .describe('Only endings that a correct client accepts, or refuses'),
    limit: z
      .int()
      .min(1)
      .max(500)
      .optional()
      .describe(`At most so many rows (default ${DEFAULT_LISTED})`),
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
      (row) =>
        `${row.flow}/${row.name} (client: ${row.correct_client}, ${row.level}): ${row.summary}`,
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
  input: z.strictObject({
    name: z.string().describe('The id of a rule, or the name of an outcome'),
  }),
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
