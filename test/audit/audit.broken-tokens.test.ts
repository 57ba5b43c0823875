import { CLAIMS } from './broken-apps/claims.ts'
import { describeBrokenApps } from './broken-apps/describe-broken-apps.ts'
import { SIGNATURE } from './broken-apps/signature.ts'

describeBrokenApps('An audit', [...SIGNATURE, ...CLAIMS])
