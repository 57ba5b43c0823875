import type { BrokenApp } from './broken-app.ts'

const OK = '  if (!response.ok) throw new Error('

/** Apps that trust what a call of their server is answered. */
export const CALLS: readonly BrokenApp[] = [
  {
    name: 'follows a redirect with its secret',
    changes: [["redirect: 'error'", "redirect: 'follow'"]],
    finds: ['par/par.redirect', 'token/token.redirect', 'upgrade/upgrade.redirect'],
  },
  {
    name: 'does not read the status of a pushed request',
    changes: [[OK, "  if (!response.ok && !path.endsWith('/par')) throw new Error("]],
    finds: ['par/par.status_*_right_body'],
  },
  {
    name: 'sends the user on after a pushed request that failed',
    changes: [
      ["  if (typeof request_uri !== 'string') throw new Error('no request_uri came')\n", ''],
      [
        '      authorization_details: JSON.stringify([verifiedAge()]),\n    }),\n  })\n',
        '      authorization_details: JSON.stringify([verifiedAge()]),\n    }),\n  }).catch(() => ({}))\n',
      ],
    ],
    finds: ['par/*'],
  },
  {
    name: 'does not read the status of a token',
    changes: [[OK, "  if (!response.ok && !path.endsWith('/token')) throw new Error("]],
    finds: ['token/token.status_*_right_body'],
  },
  {
    name: 'does not read the status of an upgrade',
    changes: [[OK, "  if (!response.ok && !path.endsWith('/upgrade')) throw new Error("]],
    finds: ['upgrade/upgrade.status_*_right_body'],
  },
  {
    name: 'sends the user on with whatever request_uri came',
    changes: [["  if (typeof request_uri !== 'string') throw new Error('no request_uri came')\n", '']],
    finds: ['par/par.request_uri_missing', 'par/par.request_uri_number', 'par/par.error_with_200'],
  },
  {
    name: 'upgrades with whatever access_token came',
    changes: [["  if (!access_token) throw new Error('no access_token came')\n", '']],
    finds: ['token/token.access_token_missing', 'token/token.access_token_empty'],
  },
  {
    name: 'does not read token_type',
    changes: [['!/^bearer$/i.test(token_type)', 'false']],
    finds: ['token/token.token_type_missing', 'token/token.token_type_other'],
  },
  {
    name: 'does not read the reply of an upgrade',
    changes: [["  if (upgraded !== 'OK') throw new Error('the age key was not upgraded')\n", '']],
    finds: ['upgrade/upgrade.error_with_200', 'upgrade/upgrade.not_ok'],
  },
  {
    name: 'takes an upgrade that failed for done',
    changes: [['    await upgrade(code)\n', '    await upgrade(code).catch(console.error)\n']],
    finds: ['token/*', 'upgrade/*'],
  },
]
