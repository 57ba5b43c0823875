import type { SeenByClients } from '../../../src/sandbox/coverage/coverage.ts'
import { CATALOGUE_VERSION } from '../../../src/sandbox/outcomes/catalogue.ts'

/** What clients have seen, in the shape of a coverage file: nothing but the given members. */
export const seenOf = (members: Partial<SeenByClients> = {}): SeenByClients => ({
  format: 2,
  version: '0.1.0',
  catalogue: CATALOGUE_VERSION,
  claims: {},
  names: [],
  omitted: false,
  ...members,
})
