/**
 * Makes the pictures of the README from the running product, light and dark: `npm run pictures`. It
 * needs Chromium at /usr/bin/chromium, or where CHROMIUM_PATH says.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { createSandbox, type Sandbox } from '../src/server/create-sandbox.ts'

const FOLDER = new URL('../docs/pictures/', import.meta.url)

/** What an app asks for in the pictures: two thresholds, of documents only. */
const request = new URLSearchParams({
  response_type: 'id_token',
  client_id: 'web-shop',
  scope: 'openid',
  state: 'kq3v8LmZ',
  nonce: 'b7Tw1nXe',
  redirect_uri: 'http://localhost:3000/callback',
  can_create: 'true',
  claims: JSON.stringify({
    age_thresholds: [16, 18],
    allowed_methods: ['id_doc_scan', 'national_id_number'],
  }),
})

const client = {
  clientId: 'web-shop',
  clientSecret: 'not-a-real-secret',
  name: 'Web shop',
  redirectUris: ['http://localhost:3000/callback'],
}

type Theme = 'light' | 'dark'
const THEMES: readonly Theme[] = ['light', 'dark']

/** Hosted pages take the theme that the app requests, the console that of the browser. */
const PAGES = {
  choice: (sandbox: Sandbox, theme: Theme) =>
    `${sandbox.url}/v1/oidc/use?${request}&theme=${theme}`,
  flow: flowOfTeenager,
}

/** The URL of an ended flow. */
async function flowOfTeenager(sandbox: Sandbox): Promise<string> {
  await fetch(`${sandbox.url}/v1/oidc/use?${request}&sandbox_persona=teen-16`, {
    redirect: 'manual',
  })
  const flow = await sandbox.flows.last()
  return `${sandbox.url}/_sandbox/console/flows/${flow?.id}`
}

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
mkdirSync(FOLDER, { recursive: true })
try {
  for (const colorScheme of THEMES) {
    const context = await browser.newContext({
      colorScheme,
      locale: 'en-US',
      viewport: { width: 1280, height: 800 },
    })
    for (const [name, addressIn] of Object.entries(PAGES)) {
      await using sandbox = await createSandbox({ seed: 1, clients: [client] })
      const page = await context.newPage()
      await page.goto(await addressIn(sandbox, colorScheme))
      await keep(page, colorScheme === 'light' ? name : `${name}-dark`)
    }
  }
} finally {
  await browser.close()
}

/** As WebP, a third of the size of PNG; only a page can write it. */
async function keep(page: Page, name: string): Promise<void> {
  const path = fileURLToPath(new URL(`${name}.webp`, FOLDER))
  const shot = await page.screenshot({ animations: 'disabled' })
  const blank = await page.context().newPage()
  const data = await blank.evaluate(async (png) => {
    const image = new Image()
    image.src = `data:image/png;base64,${png}`
    await image.decode()
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: image.naturalWidth, height: image.naturalHeight })
    canvas.getContext('2d')?.drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', 0.6)
  }, shot.toString('base64'))
  writeFileSync(path, Buffer.from(data.slice(data.indexOf(',') + 1), 'base64'))
  console.log(path)
}
