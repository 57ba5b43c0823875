import * as z from 'zod'
import { OPERATIONS } from '../../control/contract/contract.ts'
import { contains } from '../../http/form.ts'
import { counted } from '../../http/html/elements.ts'
import { reasoningLines } from '../../sandbox/journal/reasoning-lines.ts'
import { defineTool, listText } from '../tool.ts'

export const listPersonasTool = defineTool({
  name: 'list_personas',
  title: 'List personas',
  description:
    'Lists the test users of the sandbox: name, title and what each is for. With name it gives one of them with the age signals that it holds now. Use it to choose a persona for decide_next or evaluate.',
  effect: 'reads',
  input: z.strictObject({
    find: z.string().optional().describe('Only those with this text in name, title or purpose, for example "passport"'),
    name: z.string().optional().describe('One persona with its age signals, for example "teen-16"'),
  }),
  async run({ find = '', name }, { sandbox }) {
    if (name !== undefined) {
      const persona = await sandbox.personas.get(name)
      const signals = persona.age_key?.signals ?? []
      const lines = signals.map((signal) => JSON.stringify(signal))
      const holds = persona.age_key === undefined ? 'no age key' : counted(signals.length, 'age signal')
      return { data: { persona }, text: listText(`${persona.name}: ${persona.purpose} It has ${holds}.`, lines) }
    }
    const found = (await sandbox.personas.list())
      .filter((one) => contains(find, [one.name, one.title, one.purpose]))
      .map(({ name, title, purpose }) => ({ name, title, purpose }))
    const lines = found.map(({ name, title, purpose }) => `${name}: ${title}. ${purpose}`)
    return { data: { personas: found }, text: listText(`${counted(found.length, 'persona')}:`, lines) }
  },
})

export const evaluateTool = defineTool({
  name: 'evaluate',
  title: 'Evaluate claims',
  description:
    'Says what a persona, or age signals of your own, would answer to claims, and why, without a flow. Ages are in years, now is an ISO 8601 instant. Example: {"claims":{"age_thresholds":[16,18],"allowed_methods":["id_doc_scan"]},"persona":"teen-16"}. Give exactly one of persona and signals.',
  effect: 'reads',
  // Claims and signals are described in one line each: their whole schema has 27 kB, and findings explain mistakes.
  input: OPERATIONS.evaluate.body.extend({
    claims: z.unknown().meta({
      type: 'object',
      description:
        'As a Use request sends it: age_thresholds, and any of allowed_methods, verified_after, provenance, overrides, iso_27566_1',
    }),
    signals: z
      .unknown()
      .optional()
      .meta({ type: 'array', description: 'Age signals as a persona file or authorization_details has them' }),
  }),
  async run(question, { call }) {
    const evaluation = await call('evaluate', { body: question })
    const answers = Object.entries(evaluation.age_thresholds).map(([age, yes]) => `${age}: ${yes ? 'yes' : 'no'}`)
    return { data: evaluation, text: listText(`${answers.join(', ')}. Why:`, reasoningLines(evaluation.trace)) }
  },
})
