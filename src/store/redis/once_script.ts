import { COMMON } from "./scripts.ts";

/**
 * Adds hits of a day that count once, one after the other. Arguments: the day, for how many seconds it goes on, then of each
 * hit its key and its visitor, either of which may be empty, and whether a visitor who is new is remembered. Answers with
 * the number of each hit and whether it was counted already. Marks lie beside the ledger: a key for a day, visitors until
 * theirs ends.
 */
export const ONCE = `${COMMON}
local day, seconds = tonumber(ARGV[1]), ARGV[2]
local seen, epoch_key = beside(KEYS[2], 'seen' .. ARGV[1]), beside(KEYS[2], 'epoch')
local held = redis.call('GET', KEYS[1])
local total = total_of(held)
if not total then return no_counter() end

local keys, visitors = {}, false
for at = 3, #ARGV, 3 do
  if ARGV[at] ~= '' then keys[#keys + 1] = ARGV[at] end
  if ARGV[at + 1] ~= '' then visitors = true end
end
local epoch = ''
local function once_key(key) return beside(KEYS[2], 'once' .. epoch .. ':' .. key) end
-- Always several at once, see all_here.
local function look()
  local names = { KEYS[1], visitors and seen or KEYS[2], #keys > 0 and epoch_key or nil }
  for at, key in ipairs(keys) do names[at + 3] = once_key(key) end
  return redis.call('MGET', unpack(names))
end
local found, known = look(), {}
if found[3] then
  epoch = found[3]
  found = look()
end
for at, key in ipairs(keys) do known[key] = found[at + 3] end

local amount, answers, firsts, again, newcomers, is_new = 0, {}, {}, {}, {}, {}
for at = 3, #ARGV, 3 do
  local key, visitor = ARGV[at], ARGV[at + 1]
  if known[key] then again[key] = known[key] end
  local first = firsts[key] or again[key]
  local repeated = first
  if not first then
    repeated = visitor ~= '' and (is_new[visitor] or redis.call('SISMEMBER', seen, visitor) == 1)
    if not repeated then
      amount = amount + 1
      if visitor ~= '' and ARGV[at + 2] == '1' then
        newcomers[#newcomers + 1], is_new[visitor] = visitor, true
      end
    end
    first = text(total + amount)
    if key ~= '' then firsts[key] = first end
  end
  answers[#answers + 1] = first
  answers[#answers + 1] = repeated and 1 or 0
end

if total + amount > MAX_HITS then return redis.error_reply('ERR counter is full') end
if amount > 0 or #keys > 0 then check_set(KEYS[1], held) end
local has_end = #newcomers > 0 and redis.call('EXPIRE', seen, seconds) == 1
if amount > 0 then open(KEYS[2], total, day) end
if #newcomers > 0 then write('SADD', seen, unpack(newcomers)) end
if #newcomers > 0 and not has_end then write('EXPIRE', seen, seconds) end
for key, first in pairs(firsts) do write('SET', once_key(key), first, 'PX', 86400000) end
if next(firsts) and epoch ~= '' then write('SET', epoch_key, epoch, 'EX', EPOCH_S) end
-- Written again, so that who waits for replicas waits for this mark too: its first caller may have waited in vain.
for key, first in pairs(again) do write('SET', once_key(key), first, 'KEEPTTL') end
if amount > 0 then write('INCRBY', KEYS[1], text(amount)) end
return answers
`;
