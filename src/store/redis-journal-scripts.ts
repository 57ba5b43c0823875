import { defineScript } from './redis.ts'

/** Takes a flow out of everything that names it. */
const DROP = `
local function drop(prefix, tenant, id)
  local key = prefix .. tenant .. ':' .. id
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.sub(field, 1, 2) == 'i:' then
      redis.call('HDEL', prefix .. tenant .. ':identifiers', string.sub(field, 3))
    end
  end
  redis.call('DECRBY', prefix .. 'size', redis.call('HGET', key, 'size') or '0')
  redis.call('ZREM', prefix .. tenant .. ':flows', id)
  redis.call('ZREM', prefix .. 'ring', tenant .. ' ' .. id)
  redis.call('UNLINK', key)
end
`

/**
 * Records a call: KEYS[1] is the prefix of the journal. Returns the id of the flow and 1 when it began or ended; nothing when
 * the call belongs to no flow and begins none.
 */
export const RECORD = defineScript(`${DROP}
local prefix, tenant = KEYS[1], ARGV[1]
local begins, ends, at, call, trace = ARGV[2] == '1', ARGV[3] == '1', ARGV[4], ARGV[5], ARGV[6]
local maxFlows, maxCharacters = tonumber(ARGV[7]), tonumber(ARGV[8])
local place = 9
local function list()
  local items, length = {}, tonumber(ARGV[place])
  for i = 1, length do items[i] = ARGV[place + i] end
  place = place + length + 1
  return items
end
local belongsTo = list()
local handsOut = list()
local facts = list()

local identifiers = prefix .. tenant .. ':identifiers'
local id
for _, identifier in ipairs(belongsTo) do
  id = id or redis.call('HGET', identifiers, identifier)
end
local found = id and true or false
if not found and not begins then return false end

if not found then
  local count = redis.call('HINCRBY', prefix .. 'counts', tenant, 1)
  id = 'f' .. count
  redis.call('ZADD', prefix .. tenant .. ':flows', count, id)
  redis.call('ZADD', prefix .. 'ring', redis.call('INCR', prefix .. 'order'), tenant .. ' ' .. id)
  redis.call('HSET', prefix .. tenant .. ':' .. id, 'started_at', at)
end

local key = prefix .. tenant .. ':' .. id
for i = 1, #facts, 2 do
  -- A token or upgrade call keeps its flow what it was.
  if not (found and facts[i] == 'f:flow') then redis.call('HSET', key, facts[i], facts[i + 1]) end
end
local size = #call + #trace
if trace ~= '' then redis.call('HSET', key, 'trace', trace) end
redis.call('HSET', key, 'c:' .. redis.call('HINCRBY', key, 'calls', 1), call)
redis.call('HINCRBY', key, 'size', size)
for _, identifier in ipairs(handsOut) do
  redis.call('HSET', key, 'i:' .. identifier, '')
  redis.call('HSET', identifiers, identifier, id)
end
local hasEnded = ends and redis.call('HSETNX', key, 'ended_at', at) == 1

local total = redis.call('INCRBY', prefix .. 'size', size)
while total > maxCharacters or redis.call('ZCARD', prefix .. 'ring') > maxFlows do
  local oldest = redis.call('ZRANGE', prefix .. 'ring', 0, 0)[1]
  if not oldest then break end
  drop(prefix, string.match(oldest, '^(%S+) (%S+)$'))
  total = tonumber(redis.call('GET', prefix .. 'size'))
end
return { id, (hasEnded or not found) and 1 or 0 }
`)

/** Forgets the flows of the tenant ARGV[1]; its count goes on, so that ids stay in order. */
export const CLEAR = defineScript(`${DROP}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1] .. ARGV[1] .. ':flows', 0, -1)) do drop(KEYS[1], ARGV[1], id) end
return true
`)
