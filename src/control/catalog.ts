import * as z from 'zod'
import { json } from '../http/reply.ts'
import { DECISIONS } from '../oidc/decisions.ts'
import { levelOf, RULES } from '../oidc/rules/rules.ts'
import { OUTCOMES } from '../sandbox/outcomes/catalogue.ts'
import { controlRoute } from './control-route.ts'
import { lifetimesShape } from './shapes.ts'

const catalogShape = z
  .object({
    personas: z.array(z.object({ name: z.string(), title: z.string(), purpose: z.string() })),
    outcomes: z.array(
      z.object({
        name: z.string(),
        flow: z.string(),
        seam: z.enum(['claims', 'token', 'callback', 'reply']),
        summary: z.string(),
        rule: z.string(),
        correct_client: z.enum(['accept', 'refuse', 'depends']),
      }),
    ),
    rules: z.array(
      z.object({
        id: z.string(),
        section: z.string(),
        level: z.enum(['error', 'advice']),
        sentence: z.string(),
        hint: z.string(),
      }),
    ),
    lifetimes: lifetimesShape,
    decisions: z.array(z.object({ point: z.string(), decision: z.string() })),
  })
  .meta({ id: 'Catalog' })

export const catalogRoute = controlRoute({
  method: 'get',
  path: '/catalog',
  operationId: 'getCatalog',
  summary: 'What exists, for programs: personas, outcomes, rules, lifetimes, decisions',
  responses: { 200: catalogShape },
  async handle({ tenant }) {
    const { profile, lifetimes } = tenant.provider
    const personas = await tenant.personas.list()
    return json(200, {
      personas: personas.map(({ name, title, purpose }) => ({ name, title, purpose })),
      outcomes: OUTCOMES.map(({ name, flow, seam, summary, rule, correctClient }) => ({
        name,
        flow,
        seam,
        summary,
        rule,
        correct_client: correctClient,
      })),
      rules: RULES.map((row) => ({
        id: row.id,
        section: row.section,
        level: levelOf(row, profile),
        sentence: row.sentence,
        hint: row.hint,
      })),
      lifetimes: {
        request_uri: lifetimes.requestUri,
        code: lifetimes.code,
        id_token: lifetimes.idToken,
        access_token: lifetimes.accessToken,
      },
      decisions: DECISIONS,
    })
  },
})
