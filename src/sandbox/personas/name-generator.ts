import { onDemand } from '../files/on-demand.ts'

/**
 * Loads faker on demand: its names are half a megabyte, and most sandboxes never generate a
 * persona.
 */
export const loadFaker = onDemand(() => import('@faker-js/faker/locale/en'))

/**
 * Loads a generator of names: `{ title: 'Mia Keller', name: 'mia-keller-3f' }`. The same `seed` (an
 * unsigned 32-bit integer) gives the same name. The name is safe in URLs and test ids.
 */
export async function loadNameGenerator() {
  const { faker } = await loadFaker()
  return (seed: number) => {
    faker.seed(seed)
    const title = `${faker.person.firstName()} ${faker.person.lastName()}`
    return { title, name: `${slug(title)}-${(seed & 0xff).toString(16).padStart(2, '0')}` }
  }
}

/**
 * Reduces a text to lower-case letters, digits and single hyphens, at most 50 characters. This
 * leaves room for a suffix within the 63 characters of a name.
 * @example
 * ```ts
 * slug('Zoë Müller-Lang') // 'zoe-muller-lang'
 * ```
 */
export function slug(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 50)
}
