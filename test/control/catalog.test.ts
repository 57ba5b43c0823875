import { expect, test } from 'vitest'
import { catalogOperations } from '../../src/control/contract/catalog.ts'
import { CATALOGUE_VERSION, OUTCOMES } from '../../src/sandbox/outcomes/catalogue.ts'
import { describeOutcome } from '../../src/sandbox/outcomes/describe-outcome.ts'
import { startSandbox } from '../support/sandbox.ts'

test('GET catalog gives each outcome with every column, as its contract says, and the version of the catalogue', async () => {
  const { request } = await startSandbox()
  const { body } = await request.get('/_sandbox/catalog')
  expect(body).toMatchObject({ catalogue: CATALOGUE_VERSION, outcomes: OUTCOMES.map(describeOutcome) })
  expect(catalogOperations.getCatalog.result.parse(body)).toEqual(body)
})
