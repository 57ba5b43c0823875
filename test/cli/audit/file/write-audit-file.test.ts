import { expect, test } from 'vitest'
import { auditFileSchema } from '../../../../src/cli/audit/file/file-schema.ts'
import { type LearnedApp, renderAuditFile } from '../../../../src/cli/audit/file/write-audit-file.ts'
import { parseYamlDocument } from '../../../../src/files/yaml-document.ts'
import { CATALOGUE_VERSION } from '../../../../src/sandbox/outcomes/catalogue.ts'

const app = 'http://localhost:3000/verify'
const written = (learned: Partial<LearnedApp>) => renderAuditFile({ app, learned: {}, accepted: undefined, ...learned })
const parse = (text: string) => parseYamlDocument(text, { file: 'agekey-audit.yaml', schema: auditFileSchema })

/** Examples are commented out with `# ` before keys, which are followed by a colon. */
const uncommented = (text: string) =>
  text.replace(/^# ( *(?:- )?[a-z_]+:(?: .*)?)$/gm, '$1').replace(/^yaml-language.*/, '')

test('The agekey-audit.yaml of --learn holds page and catalogue, and with the examples each setting that there is', () => {
  expect(parse(written({}))).toEqual({ app, catalogue: CATALOGUE_VERSION, fail_on: 'must' })
  expect(Object.keys(parse(uncommented(written({})))).sort()).toEqual(Object.keys(auditFileSchema.shape).sort())
})

test('The agekey-audit.yaml of --learn holds the rule and the command that were given, with more of start as examples', () => {
  const start = 'PORT={port} npm start\n'
  const text = written({ accepted: 'text="Welcome: #1"', start })
  expect(parse(text)).toMatchObject({ use: { accepted: 'text="Welcome: #1"' }, start: { run: start } })
  expect(parse(text).start).toEqual({ run: start })
  expect(parse(uncommented(written({ start }))).start).toMatchObject({ ready: 'http://localhost:3000/' })
})

test('The agekey-audit.yaml of --learn says what was learned in comments, whatever the app wrote', () => {
  const use = { yes: '200 at /callback, says "a\nb"', no: ['403 at /callback', 'begins again'] }
  const comments = '# yes: 200 at /callback, says "a b"\n# no: 403 at /callback\n# no: begins again\n# use:\n'
  expect(written({ learned: { use } })).toContain(comments)
})
