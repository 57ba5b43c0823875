import { ANSWERS } from './broken-apps/answers.ts'
import { BINDING } from './broken-apps/binding.ts'
import { CALLS } from './broken-apps/calls.ts'
import { describeBrokenApps } from './broken-apps/describe-broken-apps.ts'

describeBrokenApps('An audit', [...ANSWERS, ...BINDING, ...CALLS])
