import { BRAND } from '../../oidc/profile.ts'
import type { Provider } from '../../oidc/provider.ts'
import type { ActiveReadings } from '../readings/active-readings.ts'
import type { SandboxSettings } from './shared-parts.ts'
import type { TenantOwn } from './tenant-settings.ts'

/** What a provider is made of; `ids` and `readings` may be others at each call. */
interface ProviderParts extends Pick<Provider, 'baseUrl' | 'clock' | 'store' | 'ageKeys'> {
  readonly common: SandboxSettings
  readonly own: TenantOwn
  ids(): Provider['ids']
  readings(): ActiveReadings
}

/**
 * The provider of a tenant as one call sees it: settings, keys and clients as they are now. A class, because each call makes one: the
 * getters of an object are made with it.
 */
export class ProviderView implements Provider {
  readonly baseUrl
  readonly clock
  readonly store
  readonly ageKeys
  readonly #parts: ProviderParts

  constructor(parts: ProviderParts) {
    this.baseUrl = parts.baseUrl
    this.clock = parts.clock
    this.store = parts.store
    this.ageKeys = parts.ageKeys
    this.#parts = parts
  }

  get profile() {
    return this.#parts.common.profile
  }
  get vocabulary() {
    return this.#parts.common.vocabulary
  }
  get certifications() {
    return this.#parts.common.certifications
  }
  get brand() {
    return this.decisions.brand ?? BRAND[this.profile]
  }
  get decisions() {
    return this.#parts.readings().decisions
  }
  get lifetimes() {
    return this.#parts.own.settings.lifetimes
  }
  get ids() {
    return this.#parts.ids()
  }
  get signer() {
    return this.#parts.own.keys
  }
  get clients() {
    return this.#parts.own.clients
  }
}
