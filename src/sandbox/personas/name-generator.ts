import { onDemand } from '../../files/on-demand.ts'

/** A made-up person: a title for people, and a name that is safe in URLs and test ids. */
export interface GeneratedName {
  readonly title: string
  readonly name: string
}

/** Most sandboxes never generate a name, and it would slow every start. */
const loadFaker = onDemand(() => import('@faker-js/faker/locale/en'))

/**
 * Loads the generator of personas' names: `{ title: 'Mia Keller', name: 'mia-keller-3f' }`, the same for the same `seed`
 * (a 32-bit unsigned integer).
 */
export async function loadNameGenerator(): Promise<(seed: number) => GeneratedName> {
  const { faker } = await loadFaker()
  return (seed) => {
    faker.seed(seed)
    const title = `${faker.person.firstName()} ${faker.person.lastName()}`
    return { title, name: `${slug(title)}-${(seed & 0xff).toString(16).padStart(2, '0')}` }
  }
}

/** Lower-case letters, digits and single hyphens, 50 characters at most: room for a suffix within the 63 of a name. */
export function slug(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 50)
}
