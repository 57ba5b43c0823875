import type { Tenant } from '../../../sandbox/tenants/tenant.ts'
import type { BrowserAddress } from '../guard/browser-address.ts'
import { type Html, html, renderDocument } from './html.ts'
import { type Translate, translate } from './messages.ts'

/**
 * The context of a page: paths, language, theme. Paths are absolute and include the prefix of a
 * tenant.
 */
export interface Shell {
  /** The path of the files in `public/`, without a trailing slash: `/_sandbox/assets`. */
  readonly assetsPath: string
  readonly homePath: string
  readonly version: string
  /** A tag of `LANGUAGES`; English when absent. */
  readonly lang?: string
  /** Direction of the script; `ltr` when absent. */
  readonly dir?: 'ltr' | 'rtl'
  /** `system` follows the device; `light` when absent. */
  readonly theme?: 'light' | 'dark' | 'system'
  /** The address under which the browser shows the page; absent for a page without forms. */
  readonly browserAddress?: BrowserAddress
  /** A style sheet that sets the custom properties for the appearance parameters of the request. */
  readonly appearanceCssPath?: string
}

export const shellOf = (tenant: Tenant, version: string): Shell => ({
  assetsPath: `${tenant.basePath}/_sandbox/assets`,
  homePath: `${tenant.basePath}/`,
  version,
  theme: 'system',
})

export interface Page {
  readonly title: string
  /** The content of `<main>`; its first heading is the `<h1>`. */
  readonly main: Html
  /** A column of text (default), or the whole width for lists and tables. */
  readonly width?: 'narrow' | 'wide'
  /** Content at the end of the header, for example a menu. */
  readonly menu?: Html
  /** The status strip below the header. */
  readonly strip?: Html
  /** Invisible forms before the footer, whose controls stand in the menu. */
  readonly forms?: Html
  /** Names of further style sheets in `public/`, after `app.css`. */
  readonly styles?: readonly string[]
  /** Names of scripts in `public/`; the page works without them. */
  readonly scripts?: readonly string[]
}

export interface RenderedPage {
  /** Plain text, without the name of the sandbox. */
  readonly title: string
  readonly html: string
}

/**
 * Renders a whole page: sandbox banner, content, footer. The page contains no inline script, no
 * inline style and no external asset.
 */
export function renderPage(shell: Shell, page: Page): RenderedPage {
  const { assetsPath } = shell
  const t = translate(shell.lang)
  const document =
    renderDocument(html`<html lang="${shell.lang ?? 'en'}" dir="${shell.dir ?? 'ltr'}" data-theme="${shell.theme ?? 'light'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${page.title} (agekey-sandbox)</title>
<link rel="icon" type="image/svg+xml" href="${assetsPath}/logo.svg">
<link rel="stylesheet" href="${assetsPath}/app.css">
${page.styles?.map((style) => html`<link rel="stylesheet" href="${assetsPath}/${style}">`)}
${shell.appearanceCssPath !== undefined && html`<link rel="stylesheet" href="${shell.appearanceCssPath}">`}
${shell.browserAddress && html`<script src="${assetsPath}/address.js" defer></script>`}
${page.scripts?.map((script) => html`<script src="${assetsPath}/${script}" defer></script>`)}
</head>
<body${page.strip && html` class="flat"`}>
<header class="top">
<p class="banner" data-testid="sandbox-banner"><strong>${t('banner.label')}</strong> <span>${t('banner.text')}</span></p>
<div class="row spread band"><a class="brand" href="${shell.homePath}" target="_top"><img src="${assetsPath}/logo.svg" alt="" width="28" height="28"> <span>agekey-sandbox</span></a>${page.menu !== undefined && html` ${page.menu}`}</div>
${page.strip}</header>
<main class="${page.width ?? 'narrow'}">
${shell.browserAddress && renderAddressNotice(shell.browserAddress, t)}${page.main}
</main>
${page.forms}<footer class="row foot"><span>${t('footer.version', { version: shell.version })}</span> <a href="${shell.homePath}" target="_top">${t('footer.home')}</a></footer>
</body>
</html>`)
  return { title: page.title, html: document }
}

/**
 * Renders a warning that the sandbox will refuse forms from the address in the browser. The page
 * shows the warning when the headers name such an address. Otherwise a script decides, because only
 * a script sees the address behind a proxy that hides it.
 */
function renderAddressNotice({ known, unknown }: BrowserAddress, t: Translate): Html {
  const notice = html`<p class="notice no" data-testid="unknown-address">${t('address.unknown')} <code dir="ltr">--base-url <span data-origin>${unknown}</span></code></p>
`
  return unknown === undefined
    ? html`<template data-known-origins="${known.join(' ')}">${notice}</template>`
    : notice
}
