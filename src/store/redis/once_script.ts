import { COMMON } from "./scripts.ts";

/**
 * Adds hits of a day that count once, one after the other. Arguments: the day, then of each hit its key and its visitor,
 * either of which may be empty, and whether a visitor who is new is remembered. Answers with the number of each hit and
 * whether it was counted already. Marks lie beside the ledger: a key for a day, visitors for as long as others may take it
 * to be their day.
 */
export const ONCE = `${COMMON}
local function beside(what) return (string.gsub(KEYS[2], '}days', '}' .. what, 1)) end
local function once_key(key) return beside('once:' .. key) end

local day, seen = tonumber(ARGV[1]), beside('seen' .. ARGV[1])
local total = total_of(redis.call('GET', KEYS[1]))
if not total then return no_counter() end

local amount, answers, firsts, again, newcomers, is_new = 0, {}, {}, {}, {}, {}
for at = 2, #ARGV, 3 do
  local key, visitor = ARGV[at], ARGV[at + 1]
  local first = key ~= '' and (firsts[key] or again[key])
  if key ~= '' and not first then
    first = redis.call('GET', once_key(key))
    if first then again[key] = first end
  end
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
if amount > 0 then
  open(KEYS[2], total, day)
  redis.call('INCRBY', KEYS[1], text(amount))
end
for key, first in pairs(firsts) do redis.call('SET', once_key(key), first, 'PX', 86400000) end
-- Written again, so that who waits for replicas waits for this mark too: its first caller may have waited in vain.
for key, first in pairs(again) do redis.call('SET', once_key(key), first, 'KEEPTTL') end
if #newcomers > 0 then
  redis.call('SADD', seen, unpack(newcomers))
  redis.call('EXPIRE', seen, 172800)
end
return answers
`;
