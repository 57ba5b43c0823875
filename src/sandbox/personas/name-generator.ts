import { onDemand } from '../files/on-demand.ts'

/**
 * Most sandboxes never generate a name or a persona: the names are half a megabyte, and would slow
 * every start.
 */
export const loadFaker = onDemand(() => import('@faker-js/faker/locale/en'))

/**
 * Loads the generator of made-up persons: `{ title: 'Mia Keller', name: 'mia-keller-3f' }`, the
 * same for the same `seed` (a 32-bit unsigned integer). The name is safe in URLs and test ids.
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
 * Lower-case letters, digits and single hyphens, 50 characters at most: room for a suffix within
 * the 63 of a name.
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
