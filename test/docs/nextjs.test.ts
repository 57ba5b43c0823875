import { expect, test } from 'vitest'
import { ROUTES, startNextjsApp } from './apps/nextjs-app.ts'
import { describeApp } from './describe-app.ts'
import { readPage } from './page.ts'

const page = readPage('integration-nextjs.md')

test('Every file that the page for Next.js lists is shown on it, below a heading that the list leads to', () => {
  const listed = [...page.matchAll(/^\| \[(.*?)\]\(#(.*?)\)/gm)].map(([, file = '', anchor = '']) => ({ file, anchor }))
  expect(listed).toHaveLength(ROUTES.length + 1)
  for (const { file, anchor } of listed) {
    expect(page).toContain(`\n## ${file}\n\n\`\`\`ts\n// ${file}\n`)
    expect(anchor).toBe(file.replaceAll(/[/.]/g, ''))
  }
})

describeApp('The route handlers for Next.js', startNextjsApp)
