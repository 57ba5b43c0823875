import { expect, onTestFinished, test, vi } from 'vitest'
import { askByHttp } from '../../src/audit/drill/ask-app.ts'
import { runDrill } from '../../src/audit/drill/drill.ts'
import { auditFileSchema } from '../../src/cli/audit/file/file-schema.ts'
import { renderDrill } from '../../src/cli/drill/drill-report.ts'
import { readQuestion } from '../../src/cli/drill/read-question.ts'
import { parseYamlDocument } from '../../src/files/yaml-document.ts'
import { startVerificationsApp } from '../audit/drill/verifications-app.ts'
import { claims } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { codeBlocks, readPage } from './page.ts'

const page = readPage('drill.md')

test('drill.md shows what a drill prints that asks as its file says', async () => {
  vi.stubEnv('ADMIN_TOKEN', 's3cret')
  onTestFinished(() => void vi.unstubAllEnvs())
  const sandbox = await startSandbox()
  const app = await startVerificationsApp(sandbox)
  const request = { claims: claims({ age_thresholds: [18] }) }
  app.kept.delete(await app.prove(request))
  await app.prove(request)
  app.kept.delete(await app.prove({ ...request, sandbox_persona: 'child-12' }))

  const [yaml = ''] = codeBlocks(page, 'yaml')
  const values = parseYamlDocument(yaml, { file: 'drill.md', schema: auditFileSchema })
  const question = askByHttp(readQuestion(app.url, {}, { values, lineOf: () => 1 }), { timeoutSeconds: 10 })
  const printed = renderDrill(await runDrill(sandbox, question, { otherClients: [] })).join('\n')
  expect(app.requests.at(-1)?.headers.authorization).toBe('Bearer s3cret')

  const [shown = ''] = codeBlocks(page, 'text')
  const comparable = (text: string) => text.replaceAll(/\S{10} \S{8}Z/g, 'TIME').replaceAll(/[\w-]{22}(?= {2})/g, 'SUB')
  const atHome = printed
    .replaceAll(sandbox.baseUrl, 'http://localhost:2435')
    .replaceAll(app.url, 'http://localhost:3000')
  expect(comparable(shown.trim())).toBe(comparable(atHome.split('\n\nWere the')[0] ?? ''))
  expect(shown.split('\n')).toContain('1 of 2 found; f1 is not:')
})
