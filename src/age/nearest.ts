/** Words that are longer are no typing mistake of any name here, and would cost time to compare. */
const LONGEST_WORD = 64

/** The candidates that `word` is probably a misspelling or the beginning of, the nearest first. */
export function nearest(word: string, candidates: readonly string[]): string[] {
  if (word.length > LONGEST_WORD) return []
  const lowered = word.toLowerCase()
  return candidates
    .map((candidate) => ({ candidate, distance: distanceBetween(lowered, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= candidate.length / 3 || isBeginningOf(candidate, lowered))
    .sort((one, other) => one.distance - other.distance)
    .map(({ candidate }) => candidate)
}

/** ` Did you mean "x"?`, ready to follow a sentence; empty when no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const [best] = nearest(word, candidates)
  return best === undefined ? '' : ` Did you mean "${best}"?`
}

/** `there is no persona "teen". Did you mean "teen-16"?`: the one wording for a name that nothing has. */
export const unknownName = (kind: string, name: string, known: readonly string[]): string =>
  `there is no ${kind} ${JSON.stringify(name.slice(0, 80))}.${didYouMean(name, known)}`

function isBeginningOf(candidate: string, word: string): boolean {
  return word.length >= 3 && candidate.toLowerCase().startsWith(word)
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other. */
function distanceBetween(from: string, to: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const substitution = at(previous, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1)
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const swap = swapped ? at(beforePrevious, column - 2) + 1 : Number.POSITIVE_INFINITY
      current.push(Math.min(substitution, swap, at(previous, column) + 1, at(current, column - 1) + 1))
    }
    beforePrevious = previous
    previous = current
  }
  return at(previous, to.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
