import { ANSWERS } from './broken-apps/answers.ts'
import { BINDING } from './broken-apps/binding.ts'
import { CALLS } from './broken-apps/calls.ts'
import { CLAIMS } from './broken-apps/claims.ts'
import { BY_FRAGMENT, describeBrokenApps } from './broken-apps/describe-broken-apps.ts'
import { SIGNATURE } from './broken-apps/signature.ts'

const APPS = [...ANSWERS, ...BINDING, ...CALLS, ...SIGNATURE, ...CLAIMS]
describeBrokenApps('An audit that knows how the page passes the fragment on', APPS, BY_FRAGMENT)
