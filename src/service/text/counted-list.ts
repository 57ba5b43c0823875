import * as z from 'zod'

/**
 * A list of at most `max` items. It is counted first, so that a request with thousands of wrong
 * items costs no more than a request with one.
 */
export const countedList = <Item extends z.ZodType>(
  item: Item,
  { min = 0, max }: { min?: number; max: number },
) =>
  z.preprocess((value: z.input<Item>[], { addIssue }) => {
    // The schema of the list handles a value that is no list.
    if (Array.isArray(value) && value.length > max) {
      addIssue({ code: 'too_big', origin: 'array', maximum: max, inclusive: true, input: value })
    }
    return value
  }, z.array(item).min(min).max(max))
