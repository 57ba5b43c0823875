import { expect, test } from 'vitest'
import { AUDIT_ROWS as ROWS, rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import { isSaid } from '../../support/specification.ts'

/** Sentences of RFCs that bind a client by the word MUST. */
const MUSTS: Readonly<Record<string, string>> = {
  'RFC 6749 section 4.1.2': 'The client MUST ignore unrecognized response parameters.',
  'RFC 6749 section 4.2.2': 'The client MUST ignore unrecognized response parameters.',
  'RFC 6749 section 5.1': 'The client MUST ignore unrecognized value names in the response.',
  'RFC 7515 section 4':
    'all Header Parameters not defined by this specification MUST be ignored when not understood',
  'RFC 7515 section 4.1.11':
    'extensions to this specification and/or [JWA] are being used that MUST be understood and processed',
  'RFC 7519 section 7.2': 'If any of the listed steps fail, then the JWT MUST be rejected',
  'RFC 7519 section 7.2 (10)': 'If any of the listed steps fail, then the JWT MUST be rejected',
  'RFC 7519 section 4': 'all claims that are not understood by implementations MUST be ignored',
  'OpenID Connect Discovery 1.0 section 4.3':
    'The issuer value returned MUST be identical to the Issuer URL that was used as the prefix',
  'RFC 9110 section 15':
    'A client MUST understand the class of any status code, as indicated by the first digit',
}

const SOURCE =
  /^(specification, "[^"]+": ".+"|RFC \d{4} (section [\d.]+( \(\d+\))?|appendix [A-Z][.\d]*)|OpenID Connect (Core|Discovery) 1\.0 section [\d.]+( \(\d+\))?|OAuth 2\.0 Multiple Response Type Encoding Practices section 2\.1)$/

const isOfSpecification = (ref: string): boolean => {
  const [, section = '', words = ''] = /^specification, "([^"]+)": "(.+)"$/.exec(ref) ?? []
  return words !== '' && isSaid(section, words)
}

test.each(ROWS.map((row) => ({ id: rowId(row), refs: row.refs })))(
  'The row $id cites sources that exist',
  ({ refs }) => {
    expect(refs.filter((ref) => !SOURCE.test(ref))).toEqual([])
    expect(
      refs.filter((ref) => ref.startsWith('specification') && !isOfSpecification(ref)),
    ).toEqual([])
  },
)

test('A row of level must cites a sentence of the specification, or a MUST of an RFC', () => {
  const rows = ROWS.filter(({ level }) => level === 'must')
  expect(rows.length).toBeGreaterThan(80)
  const uncarried = rows.filter(
    ({ refs }) => !refs.some((ref) => isOfSpecification(ref) || ref in MUSTS),
  )
  expect(uncarried.map(rowId)).toEqual([])
  expect(Object.entries(MUSTS).filter(([, words]) => !words.includes('MUST'))).toEqual([])
})

test('What depends is a may: nothing binds a client that may accept or refuse it', () => {
  expect(
    ROWS.filter(({ correctClient, level }) => correctClient === 'depends' && level !== 'may').map(
      rowId,
    ),
  ).toEqual([])
})

test('The errors of Create are less severe than those of Use', () => {
  const severity = (flow: string) =>
    ROWS.filter(
      (row) => row.flow === flow && row.level === 'must' && row.breaks[0] === 'error',
    ).map((row) => row.severity)
  expect(severity('create').length).toBeGreaterThan(12)
  expect(Math.max(...severity('create'))).toBeLessThan(Math.min(...severity('use')))
})
