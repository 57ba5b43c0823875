import { describeClock, describeSeconds } from '../../sandbox/clock/clock.ts'
import { currentStep } from '../../sandbox/queue/queued.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { ROOT_TENANT } from '../../sandbox/tenants/tenants.ts'
import { DEFAULT_LIFETIMES } from '../../service/oidc/policy.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import type { Cookie } from './cookie.ts'
import { type Html, html } from './html/html.ts'
import type { Incoming } from './incoming.ts'
import { actingCookies, readActing } from './requested-decision.ts'

/** The content of the status strip. */
export interface Status {
  readonly modes: readonly Mode[]
  /** The path of this page. The buttons of the strip lead back to it. */
  readonly here: string
}

/**
 * Renders the status strip: each setting with its value, a link to its page, and a button that
 * posts to `action` and removes the setting.
 */
export function renderStrip({ modes, here }: Status, action: string): Html {
  if (modes.length === 0) {
    return html`<div class="strip" data-strip><p data-testid="nothing-set">Nothing is set: real time, empty queue.</p></div>`
  }
  return html`<form class="strip" method="post" action="${action}" data-strip>
<input type="hidden" name="here" value="${here}">
<button class="strip-button" type="button" popovertarget="modes"><b>${modes.length} set</b> <span>${modes.map(({ title }) => title).join(', ')}</span></button>
<ul class="modes" id="modes" aria-label="What is set" popover>
${modes.map(renderMode)}</ul>
</form>`
}

const renderMode = ({ id, title, value, detail = value, instant, href, takeBack }: Mode): Html =>
  html`<li data-testid="mode-${id}"><a href="${href}">${title}</a> <b title="${detail}">${instant === undefined ? value : html`<time datetime="${instant}">${value}</time>`}</b>${takeBack !== undefined && html` <button name="take_back" value="${id}" title="${takeBack}" aria-label="${title}: ${takeBack}"><span aria-hidden="true">×</span> <span class="word">${takeBack}</span></button>`}</li>
`

/** A setting of a tenant or of this browser that changes how requests are answered. */
export interface Mode extends ModeReading {
  readonly id: string
  readonly title: string
  /** The page about the setting. */
  readonly href: string
  /**
   * The label of the button that removes the setting; absent for a setting that only a restart can
   * change.
   */
  readonly takeBack?: string
}

/**
 * Reads all settings that are in effect; a fresh sandbox has none.
 * @param view.isOpen whether visitors who may not drive the sandbox can open the page, which then
 * shows only public settings
 */
export async function readModes(
  place: ModePlace,
  { consolePath, isOpen = false }: { consolePath: string; isOpen?: boolean },
): Promise<readonly Mode[]> {
  const modes: Mode[] = []
  for (const [id, { title, page, read, takeBack, isPublic }] of Object.entries(MODE_ROWS)) {
    if (isOpen && !isPublic) continue
    const reading = await read(place)
    if (reading === undefined) continue
    const shown = typeof reading === 'string' ? { value: reading } : reading
    const href = `${consolePath}/${page}`
    modes.push({ id, title, ...shown, href, ...(takeBack && { takeBack: takeBack.label }) })
  }
  return modes
}

/**
 * Removes a setting.
 * @returns cookies for the reply
 * @throws Refusal for an unknown setting
 */
export async function takeModeBack(
  id: string | undefined,
  tenant: Tenant,
): Promise<readonly Cookie[]> {
  const known = Object.keys(MODE_ROWS).filter((name) => MODE_ROWS[name]?.takeBack)
  const takeBack = id !== undefined && known.includes(id) ? MODE_ROWS[id]?.takeBack : undefined
  if (takeBack) {
    await takeBack.act?.(tenant)
    return takeBack.cookies?.(tenant) ?? []
  }
  const received =
    id === undefined ? 'it is absent' : `there is no ${JSON.stringify(id.slice(0, 40))}`
  throw Refusal.invalidRequest(`take_back: ${received}; send one of ${known.join(', ')}`)
}

interface ModePlace {
  readonly request: Pick<Incoming, 'header'>
  readonly tenant: Tenant
}

interface ModeReading {
  /** The value in a few words: `+1 day`, `teen-16`. */
  readonly value: string
  /** The full value, which a tooltip shows. */
  readonly detail?: string
  /** The instant that the value stands for, so that the page can show local time. */
  readonly instant?: string
}

interface ModeRow {
  readonly title: string
  /** The path of the page below the console. */
  readonly page: string
  /**
   * Decision: every visitor may see a public setting. Other settings name clients or queued
   * decisions.
   */
  readonly isPublic?: true
  /** The value in words; `undefined` when the setting has no effect. */
  read(place: ModePlace): Read | Promise<Read>
  readonly takeBack?: {
    readonly label: string
    act?(tenant: Tenant): Promise<unknown>
    /** Cookies for the answer to the browser. */
    cookies?(tenant: Tenant): readonly Cookie[]
  }
}

type Read = ModeReading | string | undefined

/** Maximum number of names in the detail of a setting. */
const MAX_NAMED = 20

/** All settings, in the order of the strip. */
const MODE_ROWS: Readonly<Record<string, ModeRow>> = {
  tenant: {
    title: 'Tenant',
    page: 'tenants',
    isPublic: true,
    read: ({ tenant }) => (tenant.name === ROOT_TENANT ? undefined : tenant.name),
    // The button changes nothing in the tenant: its route redirects to the console of the root
    // tenant.
    takeBack: { label: 'Leave the tenant' },
  },
  clock: {
    title: 'Clock',
    page: 'force#clock',
    isPublic: true,
    read({ tenant: { clock } }) {
      const value = describeClock(clock)
      return value && { value, instant: clock.state().now }
    },
    takeBack: { label: 'Back to real time', act: (tenant) => tenant.moveClock({ reset: true }) },
  },
  acting: {
    title: 'Acting as',
    page: 'personas',
    isPublic: true,
    read: ({ request, tenant }) => inWords(readActing(request, tenant)),
    takeBack: { label: 'Stop acting', cookies: (tenant) => actingCookies({}, tenant) },
  },
  expectations: {
    title: 'Queue',
    page: 'force#queue',
    async read({ tenant }) {
      const [first, ...more] = await tenant.expectations.list()
      if (first === undefined) return undefined
      if (more.length > 0) return `${more.length + 1} decisions`
      return `${first.flow}: ${inWords(first)}${first.remaining > 1 ? `, ${first.remaining} times` : ''}`
    },
    takeBack: { label: 'Clear the queue', act: (tenant) => tenant.expectations.clear() },
  },
  scenarios: {
    title: 'Scenario',
    page: 'force#scenarios',
    async read({ tenant }) {
      const [first, ...more] = await runningScenarios(tenant)
      if (first === undefined) return undefined
      if (more.length > 0) return `${more.length + 1} armed`
      return {
        value: `step ${first.current + 1} of ${first.scenario.steps.length}`,
        detail: first.scenario.name,
      }
    },
    takeBack: {
      label: 'Remove it',
      async act(tenant) {
        for (const { id } of await runningScenarios(tenant)) await tenant.scenarios.remove(id)
      },
    },
  },
  personas: {
    title: 'Personas',
    page: 'personas',
    async read({ tenant }) {
      const [first, ...more] = await tenant.personas.changed()
      if (first === undefined) return undefined
      if (more.length > 0)
        return {
          value: `${more.length + 1} changed`,
          detail: [first, ...more].slice(0, MAX_NAMED).join(', '),
        }
      return `${first} changed`
    },
    takeBack: { label: 'Back to the declared ones', act: (tenant) => tenant.personas.restore() },
  },
  default: {
    title: 'Default',
    page: 'personas',
    read: ({ tenant }) => inWords(tenant.settings.defaults),
    takeBack: {
      label: 'No default',
      act: (tenant) => tenant.configure({ defaults: { persona: null, outcome: null } }),
    },
  },
  clients: {
    title: 'Client',
    page: 'setup#clients',
    read({ tenant }) {
      const [first, ...more] = tenant.clients.ids.filter(
        (id) => tenant.clients.find(id)?.persona !== undefined,
      )
      if (first === undefined) return undefined
      return more.length > 0
        ? `${more.length + 1} have a persona`
        : `${first} → ${tenant.clients.find(first)?.persona}`
    },
    takeBack: {
      label: 'No persona',
      act: (tenant) =>
        tenant.configure({
          clients: tenant.settings.clients.map(({ persona: _, ...client }) => client),
        }),
    },
  },
  lifetimes: {
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
      return (
        changed.map(([name, seconds]) => `${name} ${describeSeconds(seconds)}`).join(', ') ||
        undefined
      )
    },
    takeBack: {
      label: 'Back to the usual ones',
      act: (tenant) => tenant.configure({ lifetimes: DEFAULT_LIFETIMES }),
    },
  },
  readings: {
    title: 'Readings',
    page: 'readings',
    isPublic: true,
    read({ tenant: { readings } }) {
      const [first, ...more] = readings.ids ?? []
      if (first === undefined) return undefined
      return {
        value: more.length > 0 ? `${more.length + 1} set` : first,
        detail: [first, ...more].join(', '),
      }
    },
    takeBack: { label: 'Read all as usual', act: (tenant) => tenant.configure({ readings: {} }) },
  },
  keys: {
    title: 'Keys',
    page: 'setup#keys',
    read: ({ tenant }) => (tenant.hasRotatedKeys() ? 'rotated' : undefined),
    takeBack: { label: 'Back to the first ones', act: (tenant) => tenant.restoreKeys() },
  },
  profile: {
    title: 'Profile',
    page: 'rules',
    isPublic: true,
    read: ({ tenant: { provider } }) =>
      provider.profile === 'spec' ? undefined : provider.profile,
  },
}

const inWords = ({
  persona,
  outcome,
}: {
  persona?: string | undefined
  outcome?: string | undefined
}) => [persona, outcome].filter((name) => name !== undefined).join(' → ') || undefined

const runningScenarios = async ({ scenarios }: Tenant) =>
  (await scenarios.list()).filter((armed) => currentStep(armed) !== undefined)
