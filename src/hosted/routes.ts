import type { Handler, HttpHost } from '../http/handler.ts'
import { findLanguage } from '../http/html/messages.ts'
import { Refusal } from '../oidc/refusal.ts'
import type { Pending } from '../sandbox/decision/pending.ts'
import { createWhyRoute } from './choices/why-page.ts'
import { createEndingsRoute } from './driving/endings-page.ts'
import { type HostedForm, readHostedForm, requirePending } from './form.ts'
import { languageCookie } from './language.ts'
import { hostedPage } from './page.ts'
import type { Visit } from './shell.ts'

/** The routes of a hosted page beside its choice: the reasons of an answer, the endings, and forms that show the page again. */
export function createHostedRoutes({
  version,
  guard,
}: Pick<HttpHost, 'version' | 'guard'>): Readonly<Record<'language' | 'goOn' | 'why' | 'endings', Handler>> {
  const showAgain = (
    { transaction, chosenLanguage, continued, framed }: HostedForm,
    pending: Pending,
    visit: Omit<Visit, 'version' | 'guard'>,
  ) => hostedPage(transaction, pending, { chosenLanguage, continued, framed, ...visit, version, guard })
  return {
    why: createWhyRoute({ version, guard }),
    endings: createEndingsRoute({ version, guard }),
    async goOn(request, tenant) {
      const form = readHostedForm(request, guard)
      const pending = await requirePending(form, tenant)
      return { reply: await showAgain(form, pending, { request, tenant, continued: true }) }
    },
    async language(request, tenant) {
      const form = readHostedForm(request, guard)
      const language = findLanguage(form.field('language') ?? '')
      if (language === undefined) {
        const message = `language: ${JSON.stringify(form.field('language')?.slice(0, 80) ?? '')} is not one of the menu; choose one there.`
        throw Refusal.invalidRequest(message, { title: 'No such language' })
      }
      const pending = await requirePending(form, tenant)
      const reply = await showAgain(form, pending, { request, tenant, chosenLanguage: language })
      return { reply: { ...reply, cookies: [languageCookie(language, tenant)] } }
    },
  }
}
