import { describe, expect, test } from 'vitest'
import { auditFileSchema } from '../../../../src/cli/audit/file/file-schema.ts'
import { type LearnedApp, renderAuditFile } from '../../../../src/cli/audit/file/write-audit-file.ts'
import { parseYamlDocument } from '../../../../src/files/yaml-document.ts'
import { CATALOGUE_VERSION } from '../../../../src/sandbox/outcomes/catalogue.ts'

const app = 'http://localhost:3000/verify'

/** What is read from the file that is written. */
const readBack = (learned: LearnedApp, change = (text: string) => text) =>
  parseYamlDocument(change(renderAuditFile(learned)), { file: 'agekey-audit.yaml', schema: auditFileSchema })

/** Examples are commented out with `# ` before keys, which are followed by a colon. */
const uncommented = (text: string) =>
  text.replace(/^# ( *(?:- )?[a-z_]+:(?: .*)?)$/gm, '$1').replace(/^yaml-language.*/, '')

describe('The agekey-audit.yaml of --learn', () => {
  test('holds the page and the catalogue that rows are judged by', () => {
    const values = { app, catalogue: CATALOGUE_VERSION, fail_on: 'must' }
    expect(readBack({ app, learned: {}, accepted: undefined })).toEqual(values)
  })

  test('holds the rule that was given', () => {
    const accepted = 'text="Welcome: #1"'
    expect(readBack({ app, learned: {}, accepted }).use).toEqual({ accepted })
  })

  test('holds the command that was given, with further settings of start as examples', () => {
    const learned = { app, start: 'PORT={port} npm start\n', learned: {}, accepted: undefined }
    expect(readBack(learned).start).toEqual({ run: 'PORT={port} npm start\n' })
    expect(readBack(learned, uncommented).start).toMatchObject({ ready: 'http://localhost:3000/' })
  })

  test('says what was learned in comments, whatever the app wrote', () => {
    const use = { yes: '200 at /callback, says "a\nb"', no: ['403 at /callback', 'begins again'] }
    const text = renderAuditFile({ app, learned: { use }, accepted: undefined })
    expect(text).toContain('# yes: 200 at /callback, says "a b"\n# no: 403 at /callback\n# no: begins again\n# use:\n')
  })

  test('shows each setting that there is, and is right with all of them', () => {
    const values = readBack({ app, learned: {}, accepted: undefined }, uncommented)
    expect(Object.keys(values).sort()).toEqual(Object.keys(auditFileSchema.shape).sort())
  })
})
