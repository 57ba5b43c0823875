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

/** The provider of a tenant as one call sees it: settings, keys and clients as they are now. */
export const createProviderView = ({ common, own, ids, readings, ...fixed }: ProviderParts): Provider => ({
  ...fixed,
  profile: common.profile,
  vocabulary: common.vocabulary,
  certifications: common.certifications,
  get brand() {
    return readings().decisions.brand ?? BRAND[common.profile]
  },
  get decisions() {
    return readings().decisions
  },
  get lifetimes() {
    return own.settings.lifetimes
  },
  get ids() {
    return ids()
  },
  get signer() {
    return own.keys
  },
  get clients() {
    return own.clients
  },
})
