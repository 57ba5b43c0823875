import * as z from 'zod'
import { type Operation, READ } from './operation.ts'
import { lifetimesSchema } from './tenants.ts'

const catalog = z
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
    lifetimes: lifetimesSchema,
    decisions: z.array(z.object({ point: z.string(), decision: z.string() })),
  })
  .meta({ id: 'Catalog' })

export const catalogOperations = {
  getHealth: {
    ...READ,
    path: '/health',
    summary: 'Whether the sandbox is up and its store takes records; else 503, which names the reason',
    result: z.object({ status: z.literal('ok'), version: z.string(), uptime: z.number().describe('Seconds') }),
    // For container health checks.
    isOpen: true,
  },
  getCatalog: {
    ...READ,
    path: '/catalog',
    summary: 'What exists, for programs: personas, outcomes, rules, lifetimes, decisions',
    result: catalog,
  },
} as const satisfies Record<string, Operation>
