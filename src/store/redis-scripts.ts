import { type CommandParser, defineScript } from '@redis/client'

/** A write of `writeChanges` as texts, all of one length. The keys are whole but for `records`, to which the id is added. */
export type ChangeTexts =
  | readonly [
      'put',
      records: string,
      id: string,
      text: string,
      collections: string,
      index: string,
      keptMs: string,
      limit: string,
    ]
  | readonly ['take', records: string, id: string, '', '', index: string, '', '']
  | readonly [
      'row',
      table: string,
      id: string,
      text: string,
      names: string,
      unless: 'never' | 'changed',
      was: string,
      '',
    ]

/**
 * Writes all changes, or none when a record to take is not there, or a row is not what it `was` (without its place; empty for none).
 *
 * A put adds its record to the sorted set `index`, ordered by the counter `order`, and the index to the set `collections`; the
 * oldest records beyond `limit` go. A row with an empty text is removed; another gets a place and adds its table to `names`.
 */
export const writeChanges = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local width = 8
local function contentOf(row)
  return row and string.sub(row, string.find(row, ':', 1, true) + 1) or ''
end
for i = 1, #ARGV, width do
  local kind, key, id = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if kind == 'take' and redis.call('EXISTS', key .. id) == 0 then return 0 end
  if kind == 'row' and ARGV[i + 5] == 'changed' and contentOf(redis.call('HGET', key, id)) ~= ARGV[i + 6] then
    return 0
  end
end
for i = 1, #ARGV, width do
  local kind, key, id, text = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  if kind == 'put' then
    local collections, index, kept, limit = ARGV[i + 4], ARGV[i + 5], tonumber(ARGV[i + 6]), tonumber(ARGV[i + 7])
    redis.call('SET', key .. id, text, 'PX', kept)
    redis.call('ZADD', index, redis.call('INCR', KEYS[1]), id)
    if redis.call('PTTL', index) < kept then redis.call('PEXPIRE', index, kept) end
    redis.call('SADD', collections, index .. ' ' .. key)
    while redis.call('ZCARD', index) > limit do
      redis.call('UNLINK', key .. redis.call('ZPOPMIN', index)[1])
    end
  elseif kind == 'take' then
    redis.call('ZREM', ARGV[i + 5], id)
    redis.call('UNLINK', key .. id)
  elseif text == '' then
    redis.call('HDEL', key, id)
  else
    local row = redis.call('HGET', key, id)
    local place = row and string.match(row, '^%d+') or redis.call('INCR', KEYS[1])
    redis.call('HSET', key, id, place .. ':' .. text)
    redis.call('SADD', ARGV[i + 4], key)
  end
end
return 1
`,
  parseCommand(parser: CommandParser, order: string, changes: readonly ChangeTexts[]) {
    parser.pushKey(order)
    for (const texts of changes) parser.push(...texts)
  },
  transformReply: (written: 0 | 1) => written === 1,
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
 * Makes a tenant the one of its kind that was used last, and a declared one when it `declares`; moves those of the kind beyond
 * `max` to the set `leaving`. The reply names these, and one that was there already.
 */
export const useTenant = defineScript({
  NUMBER_OF_KEYS: 4,
  SCRIPT: `
local names, leaving = KEYS[1], KEYS[4]
if ARGV[3] == 'declare' then redis.call('ZREM', KEYS[1], ARGV[1]) end
if ARGV[3] == 'declare' or redis.call('ZSCORE', KEYS[2], ARGV[1]) then names = KEYS[2] end
redis.call('ZADD', names, redis.call('INCR', KEYS[3]), ARGV[1])
redis.call('SREM', leaving, ARGV[1])
local gone = {}
local earlier = redis.call('SRANDMEMBER', leaving)
if earlier then gone[1] = earlier end
while redis.call('ZCARD', names) > tonumber(ARGV[2]) do
  local oldest = redis.call('ZPOPMIN', names)[1]
  redis.call('SADD', leaving, oldest)
  gone[#gone + 1] = oldest
end
return gone
`,
  parseCommand(
    parser: CommandParser,
    keys: { readonly touched: string; readonly declared: string; readonly leaving: string; readonly order: string },
    { name, declares, max }: { readonly name: string; readonly declares: boolean; readonly max: number },
  ) {
    parser.pushKeys([keys.touched, keys.declared, keys.order, keys.leaving])
    parser.push(name, String(max), declares ? 'declare' : 'touch')
  },
  transformReply: (names: string[]) => names,
})
