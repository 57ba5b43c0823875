import { Refusal } from '../../oidc/refusal.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { Cookie } from '../cookie.ts'
import { MODE_ROWS, type ModePlace, type ModeReading } from './mode-rows.ts'

/** One thing that is set in a tenant, or in this browser, and changes how requests are answered. */
export interface Mode extends ModeReading {
  readonly id: string
  readonly title: string
  /** The page that says more. */
  readonly href: string
  /** The label of the button that takes it back; absent for what only a new start changes. */
  readonly takeBack?: string
}

/**
 * Everything that is set now; empty in a sandbox as it starts.
 * @param view.isOpen whether the page is open to callers that may not drive the sandbox: it shows what is public
 */
export async function readModes(
  place: ModePlace,
  { consolePath, isOpen = false }: { consolePath: string; isOpen?: boolean },
): Promise<readonly Mode[]> {
  const modes: Mode[] = []
  for (const { id, title, page, read, takeBack, isPublic } of MODE_ROWS) {
    if (isOpen && !isPublic) continue
    const reading = await read(place)
    if (reading === undefined) continue
    const shown = typeof reading === 'string' ? { value: reading } : reading
    modes.push({
      id,
      title,
      ...shown,
      href: `${consolePath}/${page}`,
      ...(takeBack ? { takeBack: takeBack.label } : {}),
    })
  }
  return modes
}

/** Takes one back. @returns cookies for the answer @throws Refusal for an unknown one */
export async function takeModeBack(id: string | undefined, tenant: Tenant): Promise<readonly Cookie[]> {
  const known = MODE_ROWS.filter(({ takeBack }) => takeBack !== undefined)
  const takeBack = known.find((row) => row.id === id)?.takeBack
  if (takeBack) return (await takeBack.act(tenant)) ?? []
  const names = known.map((row) => row.id).join(', ')
  const received = id === undefined ? 'it is absent' : `there is no ${JSON.stringify(id.slice(0, 40))}`
  throw Refusal.invalidRequest(`take_back: ${received}; send one of ${names}`)
}
