import { expect, test } from 'vitest'
import type { ShownPage } from '../../../src/audit/agent/browser.ts'
import { onwardByItself, waysOf } from '../../../src/audit/agent/onward.ts'

const URL_OF_PAGE = 'http://app.test/callback?state=1'
const pageOf = (text: string): ShownPage => ({
  url: URL_OF_PAGE,
  status: 200,
  mediaType: 'text/html',
  text,
})

const POSTED = {
  method: 'POST',
  url: new URL('http://app.test/next'),
  body: { type: 'application/x-www-form-urlencoded', text: '' },
}
const withScript = (script: string) =>
  pageOf(`<form method="post" action="/next"></form><script>${script}</script>`)

test.each([
  'document.forms[0].submit()',
  'const form = document.querySelector("form"); form.submit()',
  'HTMLFormElement.prototype.submit.call(document.forms[0])',
  'window.onload = function () { document.f.submit() }',
  'window.addEventListener("load", () => document.f.requestSubmit())',
  "document.addEventListener('DOMContentLoaded', () => { document.f.submit() })",
  '(function () { document.forms[0].submit() })()',
  '</script><body onload="document.forms[0].submit()"><script>',
])('A page with one form leads on by itself when the script is %s', (script) => {
  expect(onwardByItself(withScript(script))).toEqual(POSTED)
})

test.each([
  'document.forms[0].reset()',
  'document.forms[0].addEventListener("submit", check)',
  'button.onclick = () => document.forms[0].submit()',
  'document.addEventListener("keydown", () => document.forms[0].submit())',
  'function go() { document.forms[0].submit() }',
  'const go = function () { document.forms[0].submit() }',
  '</script><form></form><script>document.forms[0].submit()',
])('A page does not lead on by itself when the script is %s', (script) => {
  expect(onwardByItself(withScript(script))).toBeUndefined()
})

const NEXT = 'http://app.test/next'

test.each<readonly [string, string | undefined]>([
  ['0;url=/next', NEXT],
  ['1; URL=/next', NEXT],
  ["0, '/next'", NEXT],
  ['0.5;url="/next"', NEXT],
  [' 0 ; url = http://app.test/next', NEXT],
  ...[
    '2;url=/next',
    '0',
    '0;url=',
    `0;url=${URL_OF_PAGE}`,
    '0;url=javascript:alert(1)',
    'soon;url=/next',
  ].map((content) => [content, undefined] as const),
])('The refresh %s leads a page to %s', (content, url) => {
  const page = pageOf(`<meta http-equiv="Refresh" content="${content.replaceAll('"', '&quot;')}">`)
  expect(onwardByItself(page)?.url.href).toBe(url)
})

const sent = (form: string) => waysOf(pageOf(form))[0]?.onward

test('A form that a user sends carries the fields that a browser sends', () => {
  const { body } =
    sent(`<form method=POST action=/next>
      <input type=hidden name=a value="1 &amp; 2"><input name=b><input value=nameless><input name=c value=x disabled>
      <input type=checkbox name=d><input type=checkbox name=e checked><input type=radio name=f value=1>
      <input type=checkbox name=n required><input type=radio name=f value=2 checked><input type=file name=g><input type=reset name=h value=x>
      <select name=i><option>one<option value=2 selected>two</select><select name=j><option>one <option>two</select>
      <textarea name=k>a\nb</textarea><button type=button name=l></button>
      <button name=m value=yes>Yes</button><button name=m value=no>No</button>
    </form>`) ?? {}
  expect(body?.text).toBe('a=1+%26+2&b=&e=on&n=on&f=2&i=2&j=one&k=a%0Ab&m=yes')
})

test('A form without a method is sent by GET', () => {
  const url = new URL('http://app.test/next?a=1')
  expect(sent('<form action="/next?old=1"><input name=a value=1></form>')).toEqual({
    method: 'GET',
    url,
  })
})

test('A form without an address is sent to its page', () => {
  expect(sent('<form method=post></form>')?.url.href).toBe(URL_OF_PAGE)
})

test('A page that is no HTML leads nowhere', () => {
  const html = '<a href="/next"></a><meta http-equiv=refresh content="0;url=/next">'
  const page = { ...pageOf(html), mediaType: 'text/plain' }
  expect(onwardByItself(page)).toBeUndefined()
  expect(waysOf(page)).toEqual([])
})
