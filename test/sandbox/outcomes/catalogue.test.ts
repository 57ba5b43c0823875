import { describe, expect, it } from 'vitest'
import {
  CATALOGUE_VERSION,
  CATALOGUE_VERSIONS,
  findRow,
  OUTCOMES,
  rowId,
} from '../../../src/sandbox/outcomes/catalogue.ts'
import { OUTCOME_FLOWS } from '../../../src/sandbox/outcomes/outcome.ts'

/** Ways to change an id_token that a relying party must know, each with the rows that show it. */
const ID_TOKEN_GROUPS: Readonly<Record<string, readonly string[]>> = {
  'signature bit flipped': ['signature_bit_flipped', 'signature_missing'],
  'another key, same kid': ['foreign_key_same_kid'],
  'another key, unknown kid': ['foreign_key_unknown_kid', 'kid_empty', 'kid_missing'],
  'alg none': ['alg_none'],
  'alg none in other cases': ['alg_none_mixed_case', 'alg_none_upper_case'],
  'HS256 keyed with what is public': [
    'hs256_with_public_key_pem',
    'hs256_with_public_key_der',
    'hs256_with_public_key_member',
    'kid_path_traversal',
  ],
  'alg of another family': ['alg_of_other_family'],
  'embedded key': ['embedded_jwk'],
  'key at an address': ['jku', 'x5u'],
  'payload changed after signing': ['payload_changed'],
  'crit and typ': ['crit_unknown', 'typ_other'],
  serialisation: ['four_parts', 'two_parts', 'jwe_shape', 'trailing_data', 'padded', 'not_a_jwt', 'empty'],
  issuer: ['iss_live_host', 'iss_of_create', 'iss_without_path', 'iss_trailing_slash', 'iss_missing'],
  'audience of another client': ['aud_of_other_client', 'aud_prefix'],
  'shape of the audience': ['aud_empty', 'aud_missing', 'aud_string', 'aud_two_without_azp', 'azp_of_other_client'],
  expiry: [
    'expired',
    'expired_a_day_ago',
    'expired_issued_now',
    'expired_one_second_ago',
    'exp_missing',
    'exp_string',
    'exp_milliseconds',
    'exp_far_future',
  ],
  'issued at': ['iat_missing', 'iat_string', 'iat_future', 'iat_far_past'],
  'not before': ['nbf_future'],
  nonce: ['nonce_missing', 'nonce_other', 'nonce_of_earlier_flow', 'nonce_array', 'replayed'],
  subject: ['sub_missing', 'sub_empty', 'sub_number', 'sub_too_long', 'sub_seen_before'],
  'which thresholds': [
    'age_thresholds.extra',
    'age_thresholds.one_missing',
    'age_thresholds.missing',
    'age_thresholds.key_spelled_differently',
  ],
  'values of the answers': [
    'age_thresholds.strings',
    'age_thresholds.false_strings',
    'age_thresholds.numbers',
    'age_thresholds.null',
  ],
  'shape of the answers': [
    'age_thresholds.array',
    'age_thresholds.string',
    'age_thresholds.nested',
    'age_thresholds.boolean',
  ],
  'what parsers do': [
    'age_thresholds.prototype',
    'age_thresholds.key_twice',
    'nonce_twice',
    'payload_not_object',
    'payload_not_json',
  ],
  'hash of the claims': ['req_claims_hash_weaker', 'req_claims_hash_hex', 'req_claims_hash_missing'],
  'hash of the code': ['c_hash_wrong', 'c_hash_missing', 'c_hash_without_code'],
  'another session': ['of_other_session'],
  'another client': ['for_other_client'],
  freshness: ['issued_before_the_flow'],
  limits: ['huge', 'nested_deeply'],
  controls: [
    'extra_claim',
    'header_reordered',
    'header_extra_member',
    'claims_reordered',
    'pretty_printed',
    'typ_missing',
    'key_rotated',
    'es256',
    'azp_own',
    'nbf_past',
  ],
}

describe('the catalogue of outcomes', () => {
  it('has at least sixty rows', () => {
    expect(OUTCOMES.length).toBeGreaterThanOrEqual(60)
  })

  it.each(OUTCOME_FLOWS)('gives each outcome of the flow %s a name of its own', (flow) => {
    const names = OUTCOMES.filter((row) => row.flow === flow).map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
  })

  it.each(OUTCOMES)('says in one line each what $name is and what to check', ({ name, summary, rule }) => {
    expect(name).toMatch(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/)
    for (const line of [summary, rule]) expect(line).toMatch(/^\S[^\n]{10,250}\.$/)
  })

  it('shows each way to change an id_token, and has no row that belongs to none', () => {
    const shown = Object.values(ID_TOKEN_GROUPS).flat()
    const rows = OUTCOMES.filter(({ name }) => name.startsWith('id_token.')).map(({ name }) => name.slice(9))
    expect(rows.toSorted()).toEqual(shown.toSorted())
  })

  it('asks for nothing that a server-to-server call cannot have', () => {
    const serverRows = OUTCOMES.filter(({ flow }) => flow !== 'use' && flow !== 'create')
    expect(serverRows.filter((row) => row.seam !== 'reply' || row.needs || row.ending)).toEqual([])
  })

  it.each(OUTCOMES)('says of $flow/$name how much it weighs and who demands it', (row) => {
    expect(row.harm).toMatch(/^[A-Z][^\n]{20,200}\.$/)
    expect(row.severity).toBeGreaterThan(0)
    expect(row.severity).toBeLessThanOrEqual(10)
    expect(CATALOGUE_VERSIONS).toContain(row.since)
    // A section, not only a document.
    for (const ref of row.refs) expect(ref).toMatch(/section [\dA-Z]|^specification, "/)
    if (row.correctClient === 'accept') expect([row.level, row.breaks]).toEqual(['must', []])
    else expect(row.refs).not.toEqual([])
    if (row.correctClient === 'depends') expect(row.level).toBe('may')
    if (row.correctClient === 'refuse') expect(row.cwe).not.toEqual([])
    // Nothing comes that could be checked.
    if (row.correctClient === 'refuse' && row.family !== 'no_answer') expect(row.breaks).not.toEqual([])
  })

  it.each(OUTCOMES)('compares $flow/$name with a row that is to be accepted, in a flow that needs no more', (row) => {
    const twin = findRow(row.twin)
    expect(twin?.correctClient).toBe('accept')
    if (twin?.flow === row.flow) expect(row.needs ?? []).toEqual(expect.arrayContaining([...(twin.needs ?? [])]))
  })

  it('finds a row by its id, and has a newest version', () => {
    expect(OUTCOMES.map((row) => findRow(rowId(row)))).toEqual(OUTCOMES)
    expect(findRow('use/id_token.expired')?.name).toBe('id_token.expired')
    expect(CATALOGUE_VERSION).toBe(CATALOGUE_VERSIONS.at(-1))
  })

  it('asks for a persona with an age key wherever an id_token or a code must come', () => {
    const needs = (id: string) => findRow(id)?.needs
    expect(needs('use/id_token.expired')).toEqual(['age_key'])
    expect(needs('use/code_issued')).toEqual(['upgrade_scope', 'age_key'])
    expect(needs('use/access_denied')).toBeUndefined()
  })

  it('names a level by what demands the check', () => {
    const levels = ['id_token.payload_changed', 'id_token.azp_of_other_client', 'id_token.four_parts'].map(
      (name) => findRow(`use/${name}`)?.level,
    )
    expect(levels).toEqual(['must', 'should', 'may'])
  })
})
