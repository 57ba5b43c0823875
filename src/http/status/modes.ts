import { DEFAULT_LIFETIMES } from '../../oidc/decisions.ts'
import { endpointUrl } from '../../oidc/endpoints.ts'
import { Refusal } from '../../oidc/refusal.ts'
import { describeClock, describeSeconds } from '../../sandbox/clock/describe-clock.ts'
import { currentStep } from '../../sandbox/scenarios/armed-scenario.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { ROOT_TENANT } from '../../sandbox/tenants/tenants.ts'
import type { Cookie } from '../cookie.ts'
import type { Incoming } from '../incoming.ts'
import { actingCookies, readActing } from '../requested-decision.ts'

/** One thing that is set in a tenant, or in this browser, and changes how requests are answered. */
export interface Mode {
  readonly id: string
  readonly title: string
  /** In a few words: `+1 day`, `teen-16`. */
  readonly value: string
  /** More than there is room for: shown when the pointer rests on the value. */
  readonly detail?: string
  /** The page that says more. */
  readonly href: string
  /** The label of the button that takes it back; absent for what only a new start changes. */
  readonly takeBack?: string
}

interface Place {
  readonly request: Pick<Incoming, 'header'>
  readonly tenant: Tenant
}

type Reading = string | Pick<Mode, 'value' | 'detail'>

interface ModeRow extends Pick<Mode, 'id' | 'title'> {
  /** A page below the console, or a whole path. */
  readonly page: string | ((tenant: Tenant) => string)
  /** Decision: every caller that reaches the sandbox may see it; the others name clients, or what is queued. */
  readonly isPublic?: true
  /** `undefined` while it is not set. */
  read(place: Place): Reading | undefined | Promise<Reading | undefined>
  readonly takeBack?: { readonly label: string; act(tenant: Tenant): Promise<readonly Cookie[] | undefined> }
}

/** Everything that can be set, in the order of the strip. */
const ROWS: readonly ModeRow[] = [
  {
    id: 'tenant',
    title: 'Tenant',
    page: 'tenants',
    isPublic: true,
    read: ({ tenant }) => (tenant.name === ROOT_TENANT ? undefined : tenant.name),
    // Nothing is changed: the route leads to the console of the sandbox itself.
    takeBack: { label: 'Leave the tenant', act: async () => undefined },
  },
  {
    id: 'clock',
    title: 'Clock',
    page: 'clock',
    isPublic: true,
    read: ({ tenant }) => describeClock(tenant.clock),
    takeBack: { label: 'Back to real time', act: (tenant) => done(tenant.moveClock({ reset: true })) },
  },
  {
    id: 'acting',
    title: 'Acting as',
    page: 'personas',
    isPublic: true,
    read: ({ request, tenant }) => inWords(readActing(request, tenant)),
    takeBack: { label: 'Stop acting', act: async (tenant) => actingCookies({}, tenant) },
  },
  {
    id: 'expectations',
    title: 'Queue',
    page: 'expectations',
    async read({ tenant }) {
      const [first, ...more] = await tenant.expectations.list()
      if (first === undefined) return undefined
      if (more.length > 0) return `${more.length + 1} decisions`
      return `${first.flow}: ${inWords(first)}${first.remaining > 1 ? `, ${first.remaining} times` : ''}`
    },
    takeBack: { label: 'Clear the queue', act: (tenant) => done(tenant.expectations.clear()) },
  },
  {
    id: 'scenarios',
    title: 'Scenario',
    page: 'scenarios',
    async read({ tenant }) {
      const [first, ...more] = await runningScenarios(tenant)
      if (first === undefined) return undefined
      if (more.length > 0) return `${more.length + 1} armed`
      return { value: `step ${first.current + 1} of ${first.scenario.steps.length}`, detail: first.scenario.name }
    },
    takeBack: {
      label: 'Remove it',
      async act(tenant) {
        for (const { id } of await runningScenarios(tenant)) await tenant.scenarios.remove(id)
        return undefined
      },
    },
  },
  {
    id: 'default',
    title: 'Default',
    page: 'personas',
    read: ({ tenant }) => inWords(tenant.settings.defaults),
    takeBack: { label: 'No default', act: (tenant) => done(tenant.configure({ defaults: {} })) },
  },
  {
    id: 'clients',
    title: 'Client',
    page: 'clients',
    read({ tenant }) {
      const [first, ...more] = tenant.clients.ids.filter((id) => tenant.clients.find(id)?.persona !== undefined)
      if (first === undefined) return undefined
      return more.length > 0 ? `${more.length + 1} have a persona` : `${first} → ${tenant.clients.find(first)?.persona}`
    },
    takeBack: {
      label: 'No persona',
      act: (tenant) =>
        done(tenant.configure({ clients: tenant.settings.clients.map(({ persona: _, ...client }) => client) })),
    },
  },
  {
    id: 'lifetimes',
    title: 'Lifetimes',
    page: 'tenants',
    read({ tenant }) {
      const { requestUri, code, idToken, accessToken } = tenant.settings.lifetimes
      const changed = [
        ['request_uri', requestUri, DEFAULT_LIFETIMES.requestUri] as const,
        ['code', code, DEFAULT_LIFETIMES.code] as const,
        ['id_token', idToken, DEFAULT_LIFETIMES.idToken] as const,
        ['access token', accessToken, DEFAULT_LIFETIMES.accessToken] as const,
      ].filter(([, seconds, usual]) => seconds !== usual)
      return changed.map(([name, seconds]) => `${name} ${describeSeconds(seconds)}`).join(', ') || undefined
    },
    takeBack: {
      label: 'Back to the usual ones',
      act: (tenant) => done(tenant.configure({ lifetimes: DEFAULT_LIFETIMES })),
    },
  },
  {
    id: 'keys',
    title: 'Keys',
    page: ({ provider }) => new URL(endpointUrl('jwks', provider)).pathname,
    read: ({ tenant }) => (tenant.hasRotatedKeys() ? 'rotated' : undefined),
    takeBack: { label: 'Back to the first ones', act: (tenant) => done(tenant.restoreKeys()) },
  },
  {
    id: 'profile',
    title: 'Profile',
    page: 'rules',
    isPublic: true,
    read: ({ tenant: { provider } }) => (provider.profile === 'spec' ? undefined : provider.profile),
  },
]

/**
 * Everything that is set now; empty in a sandbox as it starts.
 * @param view.isOpen whether the page is open to callers that may not drive the sandbox: it shows what is public
 */
export async function readModes(
  place: Place,
  { consolePath, isOpen = false }: { consolePath: string; isOpen?: boolean },
): Promise<readonly Mode[]> {
  const modes: Mode[] = []
  for (const { id, title, page, read, takeBack, isPublic } of ROWS) {
    if (isOpen && !isPublic) continue
    const reading = await read(place)
    if (reading === undefined) continue
    const href = typeof page === 'string' ? `${consolePath}/${page}` : page(place.tenant)
    const shown = typeof reading === 'string' ? { value: reading } : reading
    modes.push({ id, title, ...shown, href, ...(takeBack ? { takeBack: takeBack.label } : {}) })
  }
  return modes
}

/** Takes one back. @returns cookies for the answer @throws Refusal for an unknown one */
export async function takeModeBack(id: string | undefined, tenant: Tenant): Promise<readonly Cookie[]> {
  const known = ROWS.filter(({ takeBack }) => takeBack !== undefined)
  const takeBack = known.find((row) => row.id === id)?.takeBack
  if (takeBack) return (await takeBack.act(tenant)) ?? []
  const names = known.map((row) => row.id).join(', ')
  const received = id === undefined ? 'it is absent' : `there is no ${JSON.stringify(id.slice(0, 40))}`
  throw Refusal.invalidRequest(`take_back: ${received}; send one of ${names}`)
}

const inWords = ({ persona, outcome }: { persona?: string | undefined; outcome?: string | undefined }) =>
  [persona, outcome].filter((name) => name !== undefined).join(' → ') || undefined

const runningScenarios = async ({ scenarios }: Tenant) =>
  (await scenarios.list()).filter((armed) => currentStep(armed) !== undefined)

async function done(change: Promise<void>): Promise<undefined> {
  await change
  return undefined
}
