import { expect, test } from 'vitest'
import { readAuditFile } from '../../../../src/audit/command/settings/audit-file.ts'
import { auditFileSchema } from '../../../../src/audit/command/settings/settings.ts'
import {
  type LearnedSettings,
  renderAuditFile,
} from '../../../../src/audit/command/settings/write-audit-file.ts'
import { CATALOGUE_VERSION } from '../../../../src/sandbox/outcomes/catalogue.ts'
import { folderWith } from '../../../support/folder-with.ts'

const read = (text: string) => readAuditFile(folderWith({ 'agekey-audit.yaml': text }))
const app = 'http://localhost:3000/verify'
const written = (learned: Partial<LearnedSettings>) =>
  renderAuditFile({ app, learned: {}, given: {}, ...learned })

/** Examples are commented out with `# ` before keys, which a colon follows. */
const uncommented = (text: string) =>
  text.replace(/^# (?!yes|no)( *(?:- )?\w+:(?: .*)?)$/gm, '$1').replace(/^yaml-language.*/, '')

test('The agekey-audit.yaml of --learn holds page and catalogue, and with the examples each setting that there is', () => {
  expect(read(written({}))?.values).toEqual({ app, catalogue: CATALOGUE_VERSION, fail_on: 'must' })
  expect(Object.keys(read(uncommented(written({})))?.values ?? {}).sort()).toEqual(
    Object.keys(auditFileSchema.shape).sort(),
  )
})

test('The agekey-audit.yaml of --learn holds what was given, with the rest as examples, and in comments what was learned', () => {
  const start = { run: 'PORT={port} npm start\n' }
  const given = {
    use: { accepted: 'text="Welcome: #1"' },
    start,
    age: 18,
    browser: 'http' as const,
    jobs: 2,
  }
  const use = { yes: '200 at /callback, says "a\nb"', no: ['403 at /callback', 'begins again'] }
  const text = written({ given, learned: { use } })
  expect(read(text)?.values).toMatchObject(given)
  expect(read(uncommented(text))?.values.start).toMatchObject({ ...start, ready: '/listening on/' })
  const comments =
    '# yes: 200 at /callback, says "a b"\n# no: 403 at /callback\n# no: begins again\nuse:\n  accepted: '
  expect(text).toContain(comments)
})
