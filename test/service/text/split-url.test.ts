import { expect, test } from 'vitest'
import { splitUrl } from '../../../src/service/text/split-url.ts'

test('splitUrl reads the parameters of the query before those of the fragment', () => {
  const { address, parameters } = splitUrl('http://a.example/cb?shop=1#state=x&code=y%20z')
  expect(address).toBe('http://a.example/cb')
  expect(parameters).toEqual([
    ['shop', '1'],
    ['state', 'x'],
    ['code', 'y z'],
  ])
})

test('splitUrl finds no parameters in a bare address', () => {
  expect(splitUrl('http://a.example/cb')).toEqual({
    address: 'http://a.example/cb',
    parameters: [],
  })
})
