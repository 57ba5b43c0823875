import { test as base } from '@playwright/test'
import {
  auditTests,
  type SandboxFixtures,
  type SandboxWorkerFixtures,
  sandboxFixtures,
} from '../src/playwright.ts'

const test = base.extend<SandboxFixtures, SandboxWorkerFixtures>(sandboxFixtures())

auditTests(test, async ({ page, flow }) => {
  await page.goto('/verify')
  return flow === 'use' && page.getByText('Welcome').isVisible()
})

// @ts-expect-error a visit says yes or no
auditTests(test, async ({ page }) => page.url())

// @ts-expect-error the test has no sandbox
auditTests(base, async ({ page }) => page.getByText('Welcome').isVisible())
