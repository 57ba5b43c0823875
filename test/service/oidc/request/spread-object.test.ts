import { expect, test } from 'vitest'
import { beginCreate } from '../../../../src/service/oidc/create.ts'
import { pushRequest } from '../../../../src/service/oidc/pushed-request.ts'
import { decodePairs } from '../../../../src/service/oidc/request/parameters.ts'
import { objectOf } from '../../../../src/service/oidc/request/spread-object.ts'
import { beginUse } from '../../../../src/service/oidc/use.ts'
import { createProvider } from '../../../support/provider.ts'
import { ageSignal, createRequest, pushedRequest, useRequest } from '../../../support/requests.ts'
import {
  createService,
  formRequest,
  jsonRequest,
  refusalOf,
  upgradeBy,
} from '../../../support/service.ts'

/** The findings of a Use request with these parameters behind valid ones. */
function use(sent: string, changes = {}) {
  const query = `${new URLSearchParams(useRequest({ claims: undefined, ...changes }))}&${sent}`
  return beginUse(decodePairs(query), createProvider()).findings
}

const CAUSE = 'an object became many parameters; send JSON.stringify(it) as one parameter'

test.each([
  ['claims[age_thresholds][]=18', 'claims[age_thresholds][] was'],
  ['claims%5Bage_thresholds%5D%5B0%5D=18', 'claims[age_thresholds][0] was'],
  ['claims%255Bage_thresholds%255D=18', 'claims%5Bage_thresholds%5D was'],
  ['claims.age_thresholds=18', 'claims.age_thresholds was'],
  ['claims.age_thresholds[0]=18', 'claims.age_thresholds[0] was'],
  ['claims[provenance][allowed][]=/yoti', 'claims[provenance][allowed][] was'],
  ['claims[]=18', 'claims[] was'],
  ['claims:age_thresholds=18', 'claims:age_thresholds was'],
  ['claims__age_thresholds=18', 'claims__age_thresholds was'],
  ['claims_age_thresholds_0=18', 'claims_age_thresholds_0 was'],
  ['claim[age_thresholds]=18', 'claim[age_thresholds] was'],
  ['age_thresholds=18', 'age_thresholds was'],
  ['age_thresholds[]=18', 'age_thresholds[] was'],
  ['claims=&claims[age_thresholds]=18', 'claims[age_thresholds] was'],
  ['claims[a]=1&claims[b]=2', 'claims[a], claims[b] were'],
  ['claims[age_thresholds][]=13&claims[age_thresholds][]=18', 'claims[age_thresholds][] was'],
])('E1 says of %s that an object became many parameters', (sent, named) => {
  const findings = use(sent)
  expect(findings).toMatchObject([
    {
      rule: 'USE-09',
      level: 'error',
      path: 'claims',
      message: `claims is missing; ${named} received: ${CAUSE}`,
    },
  ])
})

test.each([
  ['authorization_details[0][type]=age_verification', 'authorization_details[0][type] was'],
  ['authorization_details.0.type=age_verification', 'authorization_details.0.type was'],
  ['authorization_details[]={}', 'authorization_details[] was'],
  ['authorization_details_0_type=x', 'authorization_details_0_type was'],
  ['authorizationDetails[0].method=x', 'authorizationDetails[0].method was'],
  ['method=x&age[years]=18&provenance=/yoti', 'method, age[years], provenance were'],
])('E2 says of %s that an object became many parameters', async (sent, named) => {
  const form = `${new URLSearchParams(pushedRequest({ authorization_details: undefined }))}&${sent}`
  const { findings } = await refusalOf(() => pushRequest(formRequest(form), createProvider()))
  const message = `authorization_details is missing; ${named} received: ${CAUSE}`
  expect(findings).toMatchObject([{ rule: 'PAR-10', level: 'error', message }])
})

test('E5 says of members with brackets that an object became many members', async () => {
  const service = createService()
  const token = await service.obtainToken()
  const body = {
    'authorization_details[0][type]': 'age_verification',
    'authorization_details[0][method]': 'x',
  }
  const { findings } = await refusalOf(() =>
    upgradeBy(jsonRequest(body, `Bearer ${token}`), service.provider),
  )
  const message =
    'authorization_details is missing; authorization_details[0][type], authorization_details[0][method] were received: an object became many members; send it as one member'
  expect(findings).toMatchObject([{ rule: 'UPG-05', message }])
})

test('E5 says of a signal at the top of the body that an object became many members', async () => {
  const service = createService()
  const token = await service.obtainToken()
  const { findings } = await refusalOf(() =>
    upgradeBy(jsonRequest(ageSignal(), `Bearer ${token}`), service.provider),
  )
  expect(findings).toHaveLength(1)
  expect(findings[0]?.message).toMatch(
    /^authorization_details is missing; type, .* and 3 more were received: an object/,
  )
})

const FIFTY = Array.from({ length: 50 }, (_, index) => `claims[age_thresholds][${index}]=18`).join(
  '&',
)

test('Fifty parameters of one object make one finding', () => {
  const message = `claims is missing; claims[age_thresholds][0], claims[age_thresholds][1], claims[age_thresholds][2], claims[age_thresholds][3] and 46 more were received: ${CAUSE}`
  expect(use(FIFTY).map((finding) => finding.message)).toEqual([message])
})

test('Parts of an object beside the object make one advice', () => {
  const findings = use(FIFTY, useRequest())
  expect(findings).toMatchObject([
    { rule: 'USE-11', level: 'advice', path: 'claims[age_thresholds][0]' },
  ])
  expect(findings[0]?.message).toMatch(
    /an object became many parameters; claims itself was received: remove the others$/,
  )
})

test('Parts of an object beside the object that are repeated break the rule of repeated parameters', () => {
  const findings = use('claims[a]=1&claims[a]=2', useRequest())
  expect(findings.map(({ rule }) => rule)).toEqual(['USE-10'])
})

test('An endpoint that does not know the object makes one advice of its parts', async () => {
  const service = createService()
  const query = new URLSearchParams(createRequest(await service.obtainRequestUri()))
  const { findings } = await beginCreate(decodePairs(`${query}&${FIFTY}`), service.provider)
  expect(findings).toMatchObject([{ rule: 'CRE-12', level: 'advice' }])
  expect(findings[0]?.message).toContain('claims is a standard parameter (OpenID Connect Core)')
})

test('A part that is not UTF-8 is still refused as such', () => {
  expect(use('claims[a]=%ff', useRequest()).map(({ rule }) => rule)).toEqual(['USE-10'])
})

test('A misspelt parameter beside an object in parts is still named', () => {
  const findings = use('claims[a]=1&nonse=x')
  expect(findings.map(({ rule, path }) => `${rule} ${path}`)).toEqual([
    'USE-09 claims',
    'USE-11 nonse',
  ])
})

test.each([
  'claims_locales',
  'client_id',
  'x[y]',
  'x.y',
  'iso',
  'auth[user]',
  'state[]',
  '',
  '[',
  'claims',
  'constructor',
])('The parameter %j is no part of an object', (name) => {
  expect(objectOf(name, () => true)).toBeUndefined()
})

test('A member alone is no part of an object that was received', () => {
  expect(objectOf('age_thresholds', () => false)).toBeUndefined()
})
