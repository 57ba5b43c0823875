import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import * as z from 'zod'
import { describeWith } from '../support/tools.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'

const manifests = parseAllDocuments(
  blockWith(codeBlocks(readPage('addresses.md'), 'yaml'), '# kubernetes.yaml'),
)
const manifest = z.looseObject({ kind: z.string(), spec: z.looseObject({}).optional() })

describeWith('kubectl', 'With kubectl', () => {
  // What kubectl does not know is missing from what it prints: it decodes these two kinds by their
  // types.
  test.each([
    ['Deployment', ['set', 'env', 'AGEKEY_SANDBOX_LOG=json']],
    ['Service', ['set', 'selector', 'app=agekey-sandbox']],
  ])(
    'kubectl knows every field of the %s of addresses.md',
    (kind, [verb = '', what = '', change = '']) => {
      const unknownIn = (given: object) => {
        const args = [verb, what, '--local', '--output', 'json', '--filename', '-', change]
        const { stdout } = spawnSync('kubectl', args, {
          input: JSON.stringify(given),
          encoding: 'utf8',
        })
        return missingFrom(JSON.parse(stdout), given)
      }
      const wanted = manifest.parse(
        manifests.map((one) => one.toJS()).find((one) => one.kind === kind),
      )
      expect(unknownIn(wanted)).toEqual([])
      expect(unknownIn({ ...wanted, spec: { ...wanted.spec, replica: 1 } })).toEqual([
        'spec.replica',
      ])
    },
  )
})

/** Paths of `wanted` that `given` does not have. */
function missingFrom(given: unknown, wanted: unknown, path = ''): string[] {
  if (typeof wanted !== 'object' || wanted === null) return []
  return Object.entries(wanted).flatMap(([name, member]) => {
    const inside = path === '' ? name : `${path}.${name}`
    const found: unknown =
      typeof given === 'object' && given !== null ? Reflect.get(given, name) : undefined
    return found === undefined ? [inside] : missingFrom(found, member, inside)
  })
}
