import * as z from 'zod'

/**
 * A list of at most `max` items that is counted first: the items of a longer one are not looked at, so that a request with
 * thousands of mistakes costs no more than a request with one.
 */
export const countedList = <Item extends z.ZodType>(item: Item, { min = 0, max }: { min?: number; max: number }) =>
  z.preprocess((value: z.input<Item>[], { addIssue }) => {
    // What is no list is left to the schema of the list.
    if (Array.isArray(value) && value.length > max) {
      addIssue({ code: 'too_big', origin: 'array', maximum: max, inclusive: true, input: value })
    }
    return value
  }, z.array(item).min(min).max(max))
