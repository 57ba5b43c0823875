import * as z from 'zod'
import {
  BAITS,
  CHECKS,
  LAYERS,
  NEEDS,
  REQUIREMENT_LEVELS,
} from '../../../sandbox/outcomes/outcome.ts'
import { CALLS } from '../../../service/oidc/endpoints.ts'
import { type Operation, READ } from './operation.ts'
import { lifetimesInFile } from './tenants.ts'

const catalog = z
  .object({
    personas: z.array(z.object({ name: z.string(), title: z.string(), purpose: z.string() })),
    catalogue: z.string().describe('The version of the outcomes'),
    outcomes: z.array(
      z.object({
        name: z.string(),
        flow: z.enum(CALLS),
        seam: z.enum(['claims', 'token', 'callback', 'reply']),
        summary: z.string(),
        rule: z.string(),
        correct_client: z.enum(['accept', 'refuse', 'depends']),
        family: z.string().describe('Rows of a family are about one mistake'),
        level: z
          .enum(REQUIREMENT_LEVELS)
          .describe('must: the specification; should: other RFCs; may: hardening'),
        severity: z.number().describe('Like a CVSS base score: 0 to 10'),
        cwe: z.array(z.string()).readonly().describe('CWE-347'),
        refs: z.array(z.string()).readonly().describe('The sections that demand the check'),
        harm: z
          .string()
          .describe('What is gained when it gets through, or lost when it is refused'),
        bait: z.enum(BAITS).describe('The persona for whom the careless reading is a yes'),
        layer: z
          .enum(LAYERS)
          .describe('oidc: a client library must catch it; service: only the app can'),
        breaks: z.array(z.enum(CHECKS)).readonly().describe('The checks that fail for it'),
        twin: z
          .string()
          .describe('Flow and name of the row to accept that differs by the fault alone'),
        since: z.string().describe('The version of the catalogue that brought it'),
        needs: z
          .array(z.enum(NEEDS))
          .readonly()
          .optional()
          .describe('What the request and its persona must have'),
        prelude: z
          .literal('earlier_flow')
          .optional()
          .describe('What the same browser must have been through before'),
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
    lifetimes: lifetimesInFile,
    decisions: z.array(z.object({ point: z.string(), decision: z.string() })),
    readings: z.array(
      z.object({
        name: z.string(),
        point: z.string().describe('What the specification leaves open'),
        section: z.string(),
        quote: z.string().describe('The sentence there that leaves it open'),
        open: z.string().optional().describe('What the sentence does not say'),
        default: z.string(),
        variants: z.array(
          z.object({
            name: z.string(),
            summary: z.string(),
            source: z.string().describe('What makes it a legal way'),
            excludes: z
              .array(z.string())
              .readonly()
              .describe('What cannot hold beside it: unknown_members=everywhere'),
          }),
        ),
        shown_by: z
          .array(z.string())
          .readonly()
          .describe('Flow and name of outcomes whose run shows the difference'),
      }),
    ),
  })
  .meta({ id: 'Catalog' })

export const catalogOperations = {
  getHealth: {
    ...READ,
    path: '/health',
    summary:
      'Whether the sandbox is up and its store takes records; else 503, which names the reason',
    result: z.object({
      status: z.literal('ok'),
      version: z.string(),
      uptime: z.number().describe('Seconds'),
    }),
    // Containers check their health without a token.
    isOpen: true,
  },
  getCatalog: {
    ...READ,
    path: '/catalog',
    summary: 'What exists, for programs: personas, outcomes, rules, lifetimes, decisions',
    result: catalog,
  },
} as const satisfies Record<string, Operation>
