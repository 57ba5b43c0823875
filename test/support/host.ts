import type { SharedParts } from '../../src/sandbox/tenants/shared-parts.ts'
import { createTenants } from '../../src/sandbox/tenants/tenants.ts'
import type { HttpHost } from '../../src/server/http/handler.ts'
import { exportFlow } from '../../src/tools/recordings/export-flow.ts'
import { TEST_ADDRESSES } from './tenant.ts'

/**
 * What routes need of a server that listens on loopback, for a test without a server, or with
 * another part in its place.
 */
export const createTestHost = (parts: SharedParts, changes: Partial<HttpHost> = {}): HttpHost => ({
  version: 'test',
  settings: parts.declared.settings,
  ownUrl: 'http://127.0.0.1:0',
  shownClient: { clientId: 'ak_test_sandbox', clientSecret: 'sk_test_sandbox' },
  guard: {
    beyondMachine: undefined,
    token: undefined,
    hostNames: [],
    trustsHost: false,
    followsHost: false,
    origins: [TEST_ADDRESSES.baseUrl],
  },
  tenants: createTenants(parts, { addresses: TEST_ADDRESSES }),
  trustedProxies: [],
  uptimeSeconds: () => 0,
  exportFlow: (flow, as, tenant) => exportFlow(flow, as, { tenant, version: 'test' }),
  checkStore: async () => {},
  lastAudit: async () => undefined,
  onCall() {},
  onError() {},
  ...changes,
})
