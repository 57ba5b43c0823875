import { consolePathOf } from '../http/console-page.ts'
import { readForm } from '../http/form.ts'
import { guardControl } from '../http/guard/guard.ts'
import type { Handler, HttpHost } from '../http/handler.ts'
import { redirect } from '../http/reply.ts'
import { takeModeBack } from '../http/status/modes.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'

/** `POST console/status`: a button of the status strip. It takes one mode back and returns to the page of the button. */
export const takeBack =
  (host: HttpHost): Handler =>
  async (request, tenant) => {
    guardControl(request, host.guard)
    const { take_back: id, here = '' } = readForm(request)
    const cookies = await takeModeBack(id, tenant)
    const page = id === 'tenant' ? consolePathOf(host.tenants.root) : ownPage(here, tenant)
    return { reply: { ...redirect(303, page), cookies } }
  }

/** The page of this tenant's sandbox that a form names; the entrance of the console for any other address. */
function ownPage(here: string, tenant: Tenant): string {
  const nowhere = 'http://sandbox.invalid/nowhere'
  const { origin, pathname, search } = new URL(URL.canParse(here, nowhere) ? here : '', nowhere)
  const isOwn = pathname === `${tenant.basePath}/` || pathname.startsWith(`${tenant.basePath}/_sandbox/`)
  return origin === new URL(nowhere).origin && isOwn ? `${pathname}${search}` : consolePathOf(tenant)
}
