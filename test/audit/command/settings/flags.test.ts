import { expect, test } from 'vitest'
import { AUDIT_FLAGS } from '../../../../src/audit/command/settings/flags.ts'

test.each(AUDIT_FLAGS.map(({ flags, help }) => [flags, help]))(
  'audit --help explains %s',
  (_flags, help) => {
    expect(help).not.toBe('')
  },
)
