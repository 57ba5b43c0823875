import { contains } from '../http/form.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { levelOf, RULES } from '../oidc/rules/rules.ts'
import type { ConsoleCall, ConsoleRoute } from './console-route.ts'
import { renderRules } from './rules-page.ts'

/** `console/rules`: what requests are checked against. */
export const rulesPage: ConsoleRoute = { name: 'rules', render: renderTable }

function renderTable({ tenant, frame, fields }: ConsoleCall): RenderedPage {
  const { profile } = tenant.provider
  const { q: search = '' } = fields
  const rules = RULES.filter(({ id, section, sentence, hint }) => contains(search, [id, section, sentence, hint])).map(
    (row) => ({ ...row, level: levelOf(row, profile) }),
  )
  return renderRules({ ...frame, profile, rules, search })
}
