import { shareChromiumAgent } from '../support/chromium-agent.ts'
import { FRAGMENT } from './apps/fragment-apps.ts'
import { ANSWERS } from './broken-apps/answers.ts'
import { BINDING } from './broken-apps/binding.ts'
import { CALLS } from './broken-apps/calls.ts'
import { CLAIMS } from './broken-apps/claims.ts'
import { describeBrokenApps } from './broken-apps/describe-broken-apps.ts'
import { SIGNATURE } from './broken-apps/signature.ts'

const ALL = [...ANSWERS, ...BINDING, ...CALLS, ...SIGNATURE, ...CLAIMS]
/** One of each kind: with scripts each takes many times as long as without, and the rules of the verdict are the same. */
const NAMES = [
  'takes what is truthy for true',
  'takes an age key for saved whatever error comes',
  'compares no state',
  'never forgets a state that was answered',
  'compares no nonce',
  'upgrades with whatever access_token came',
  'lets a token live for ever',
]
const APPS = NAMES.map((name) => {
  const app = ALL.find((one) => one.name === name)
  if (!app) throw new Error(`there is no broken app that ${name}`)
  return app
})
/** Beside the rows of each app, one that it has to accept and some that all of these apps refuse. */
const only = ['use/id_token.extra_claim', 'use/access_denied']
const agent = shareChromiumAgent()
describeBrokenApps('An audit by Chromium', APPS, { changes: FRAGMENT.byForm, only, agent, timeoutSeconds: 60 })
