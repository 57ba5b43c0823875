import * as z from 'zod'

/**
 * A schema for a list of at most `max` items. The length is checked first: a request with thousands
 * of wrong items costs no more than a request with one wrong item.
 */
export const countedList = <Item extends z.ZodType>(
  item: Item,
  { min = 0, max }: { min?: number; max: number },
) =>
  z.preprocess((value: z.input<Item>[], { addIssue }) => {
    // A value that is not a list is reported by the schema of the list.
    if (Array.isArray(value) && value.length > max) {
      addIssue({ code: 'too_big', origin: 'array', maximum: max, inclusive: true, input: value })
    }
    return value
  }, z.array(item).min(min).max(max))
