import * as z from 'zod'
import { clientSchema } from '../../../sandbox/clients/client-schema.ts'
import { readingsChangeSchema } from '../../../sandbox/readings/readings.ts'
import { TENANT_VALUE_CHANGES, TENANT_VALUES } from '../../../sandbox/tenants/shared-parts.ts'
import { SIGNING_ALGORITHMS } from '../../../service/oidc/ports.ts'
import { countedList } from '../../../service/text/counted-list.ts'
import { clockSchema } from './clock.ts'
import { byName, listQuery, next, type Operation, POST, PUT, READ, REMOVAL } from './operation.ts'

const seconds = z.int().min(1)

/** Lifetimes in seconds, under their names in the config file. */
export const lifetimesInFile = z.strictObject({
  request_uri: seconds,
  code: seconds,
  id_token: seconds,
  access_token: seconds,
})

const tenant = z
  .object({
    name: z.string(),
    base_url: z.string(),
    persona: z.string().optional(),
    outcome: z.string().optional(),
    clients: z.array(
      z.object({
        client_id: z.string(),
        name: z.string(),
        redirect_uris: z.array(z.string()),
        signing_alg: z.enum(SIGNING_ALGORITHMS),
      }),
    ),
    warnings: z
      .array(z.string())
      .optional()
      .describe('About redirect URIs; absent when there is none'),
    lifetimes: lifetimesInFile,
    ...TENANT_VALUES,
    readings: z.record(z.string(), z.string()).describe('Variants by the names of their readings'),
    clock: clockSchema,
  })
  .meta({ id: 'Tenant' })

/** Maximum number of clients in one call. A config file may declare more. */
const MAX_CLIENTS = 200

/**
 * The settings that a call may change. Omitted settings keep their value; `null` removes a default.
 */
const tenantChange = z.strictObject({
  persona: z.string().nullable().optional(),
  outcome: z.string().nullable().optional(),
  clients: countedList(clientSchema, { max: MAX_CLIENTS })
    .optional()
    .describe('Replaces the declared clients; the built-in one stays'),
  lifetimes: lifetimesInFile.partial().optional().describe('In seconds'),
  ...TENANT_VALUE_CHANGES,
  readings: readingsChangeSchema
    .nullable()
    .optional()
    .describe(
      'Readings to set. A reading that is left out stays; null resets a reading, or all readings',
    ),
})

export const tenantOperations = {
  reset: {
    ...POST,
    path: '/reset',
    summary:
      'Back to the declared state: personas, expectations, scenarios, clock, journal, codes, tokens, rotated keys; clients stay',
    statuses: [204],
  },
  listTenants: {
    ...READ,
    path: '/tenants',
    summary: 'Every tenant, the one at the base URL first',
    query: listQuery,
    result: z.object({ tenants: z.array(tenant), next }),
  },
  getTenant: {
    ...READ,
    path: '/tenants/:name',
    summary: 'One tenant',
    params: byName,
    result: tenant,
  },
  putTenant: {
    ...PUT,
    path: '/tenants/:name',
    summary: 'Makes a tenant, or changes what is given of one',
    params: byName,
    body: tenantChange,
    result: tenant,
    statuses: [200, 201],
  },
  deleteTenant: {
    ...REMOVAL,
    path: '/tenants/:name',
    summary: 'Removes a tenant with everything in it',
    params: byName,
  },
} as const satisfies Record<string, Operation>
