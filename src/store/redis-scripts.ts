import { type CommandParser, defineScript } from '@redis/client'

/** The keys of one collection of records. */
export interface CollectionKeys {
  /** What the keys of its records begin with. */
  readonly records: string
  /** A sorted set of the ids in the order of their writing. */
  readonly index: string
}

export interface RecordWriting {
  readonly id: string
  readonly text: string
  /** Real time for which the record stays. */
  readonly keptMs: number
  /** Records in the collection: the oldest goes. */
  readonly limit: number
}

/** @param keys.collections a set that names all collections; `order` the counter behind the order */
export const putRecord = defineScript({
  NUMBER_OF_KEYS: 4,
  SCRIPT: `
redis.call('SET', KEYS[1] .. ARGV[1], ARGV[2], 'PX', ARGV[3])
redis.call('ZADD', KEYS[2], redis.call('INCR', KEYS[4]), ARGV[1])
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
redis.call('SADD', KEYS[3], KEYS[2] .. ' ' .. KEYS[1])
while redis.call('ZCARD', KEYS[2]) > tonumber(ARGV[4]) do
  redis.call('UNLINK', KEYS[1] .. redis.call('ZPOPMIN', KEYS[2])[1])
end
`,
  parseCommand(
    parser: CommandParser,
    keys: CollectionKeys & { readonly collections: string; readonly order: string },
    { id, text, keptMs, limit }: RecordWriting,
  ) {
    parser.pushKeys([keys.records, keys.index, keys.collections, keys.order])
    parser.push(id, text, String(keptMs), String(limit))
  },
  transformReply() {},
})

/** Reads and removes a record in one step: of two callers one receives it. */
export const takeRecord = defineScript({
  NUMBER_OF_KEYS: 2,
  SCRIPT: `
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('GETDEL', KEYS[1] .. ARGV[1])
`,
  parseCommand(parser: CommandParser, { records, index }: CollectionKeys, id: string) {
    parser.pushKeys([records, index])
    parser.push(id)
  },
  transformReply: (text: string | null) => text,
})

/** Removes the records of all collections that the set `collections` names. */
export const clearRecords = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
for _, collection in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local index, records = string.match(collection, '^(%S+) (%S+)$')
  for _, id in ipairs(redis.call('ZRANGE', index, 0, -1)) do redis.call('UNLINK', records .. id) end
  redis.call('UNLINK', index)
end
return redis.call('UNLINK', KEYS[1])
`,
  parseCommand(parser: CommandParser, collections: string) {
    parser.pushKey(collections)
  },
  transformReply() {},
})

export interface RowWriting {
  readonly id: string
  /** The value as JSON; empty removes the row. */
  readonly text: string
  readonly unless: 'never' | 'taken' | 'changed'
  /** For `changed`: the row that must still be there; empty for none. */
  readonly was?: string
}

/** Writes a row unless it is `taken` or `changed`. The reply says whether it was written. */
export const writeRow = defineScript({
  NUMBER_OF_KEYS: 3,
  SCRIPT: `
local row = redis.call('HGET', KEYS[1], ARGV[1])
if ARGV[3] == 'taken' and row then return 0 end
if ARGV[3] == 'changed' and (row or '') ~= ARGV[4] then return 0 end
if ARGV[2] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  return 1
end
local place = row and string.match(row, '^%d+') or redis.call('INCR', KEYS[3])
redis.call('HSET', KEYS[1], ARGV[1], place .. ':' .. ARGV[2])
redis.call('SADD', KEYS[2], KEYS[1])
return 1
`,
  parseCommand(
    parser: CommandParser,
    keys: { readonly table: string; readonly names: string; readonly order: string },
    { id, text, unless, was = '' }: RowWriting,
  ) {
    parser.pushKeys([keys.table, keys.names, keys.order])
    parser.push(id, text, unless, was)
  },
  transformReply: (written: number) => written === 1,
})

/** Removes all tables that the set `names` names. */
export const clearTables = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
for _, table in ipairs(redis.call('SMEMBERS', KEYS[1])) do redis.call('UNLINK', table) end
return redis.call('UNLINK', KEYS[1])
`,
  parseCommand(parser: CommandParser, names: string) {
    parser.pushKey(names)
  },
  transformReply() {},
})

/**
 * Makes a tenant the one of its kind that was used last, and a declared one when it `declares`; removes those of the kind
 * beyond `max`. The reply names these.
 */
export const useTenant = defineScript({
  NUMBER_OF_KEYS: 3,
  SCRIPT: `
local names = KEYS[1]
if ARGV[3] == 'declare' then redis.call('ZREM', KEYS[1], ARGV[1]) end
if ARGV[3] == 'declare' or redis.call('ZSCORE', KEYS[2], ARGV[1]) then names = KEYS[2] end
redis.call('ZADD', names, redis.call('INCR', KEYS[3]), ARGV[1])
local gone = {}
while redis.call('ZCARD', names) > tonumber(ARGV[2]) do
  gone[#gone + 1] = redis.call('ZPOPMIN', names)[1]
end
return gone
`,
  parseCommand(
    parser: CommandParser,
    { touched, declared, order }: { readonly touched: string; readonly declared: string; readonly order: string },
    { name, declares, max }: { readonly name: string; readonly declares: boolean; readonly max: number },
  ) {
    parser.pushKeys([touched, declared, order])
    parser.push(name, String(max), declares ? 'declare' : 'touch')
  },
  transformReply: (names: string[]) => names,
})
