import { LAST_DAY } from "../../counter/days.ts";
import { MAX_HITS } from "../../counter/store.ts";
import type { Command } from "./connection/client.ts";
import { OUT_OF_MEMORY, SCRIPT_ERRORS } from "./connection/reply.ts";

/** A script and the name that Redis has for it. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/** The scripts of a store, by name. */
export type Scripts = Awaited<ReturnType<typeof createScripts>>;

/** The command that has Redis carry out a script which it knows. */
export function callOf(
  { sha }: Script,
  { keys, args }: { keys: readonly string[]; args: readonly (string | number)[] },
): Command {
  return ["EVALSHA", sha, String(keys.length), ...keys, ...args.map(String)];
}

/** The same command with the script itself, for a Redis that does not know it by name; undefined if it calls no script. */
export function withText([name, sha, ...rest]: Command, scripts: Scripts): Command | undefined {
  const script = Object.values(scripts).find((each) => each.sha === sha);
  return name === "EVALSHA" && script !== undefined ? ["EVAL", script.text, ...rest] : undefined;
}

/** Whether a command calls this script. */
export function isCallOf([name = "", which]: Command, { text, sha }: Script): boolean {
  return name.startsWith("EVAL") && (which === sha || which === text);
}

/**
 * What all scripts begin with.
 *
 * A script may fail at any command, and Redis undoes nothing. So each looks at everything first; then come the commands that
 * may be refused, in a form that changes nothing; whatever fails after the first change says so, see `write`.
 */
const COMMON = `
local MAX_HITS, LAST_DAY = ${MAX_HITS}, ${LAST_DAY}
-- Longer than any idempotency key that is named after it.
local EPOCH_S = 90000

local function text(number) return string.format('%.0f', number) end

local function year_of(day) return 1968 + math.floor(4 * (day + 731) / 1461) end

local function beside(ledger, name) return (string.gsub(ledger, '}days', '}' .. name, 1)) end
local function year_key(ledger, year) return beside(ledger, 'days' .. year) end

-- The number that a text holds; nil if that is no counter.
local function total_of(held)
  held = held or '0'
  if held ~= '0' and not string.match(held, '^[1-9]%d*$') then return nil end
  if #held > 16 or tonumber(held) > MAX_HITS then return nil end
  return tonumber(held)
end

local function not_a_counter() return redis.error_reply('ERR ${SCRIPT_ERRORS.notACounter}') end

local function full() return redis.error_reply('ERR ${SCRIPT_ERRORS.full}') end

-- Fails if one of these keys is not on this node because its slot is being moved. A command with a single key that was not
-- declared would find nothing there, and the node that the slot is moved to would even write it.
local function all_here(keys) redis.call('MGET', unpack(keys)) end

-- Fails if SET is not allowed or memory is short, and changes nothing.
local function check_set(key, is_there)
  redis.call('SET', key, '', is_there and 'NX' or 'XX')
end

local is_changed = false

-- A command that changes something; if it fails after others, what the script did so far stays.
local function write(...)
  local reply = is_changed and redis.pcall(...) or redis.call(...)
  if type(reply) == 'table' and reply.err then error('${SCRIPT_ERRORS.partlyDone}: ' .. reply.err) end
  is_changed = true
end

-- The open day of a ledger, its opening, and the first year; nothing if one of them is out of bounds.
local function head_of(ledger)
  local last, opening, first = string.match(ledger, '^(%d+) (%-?%d+) (%S+)')
  if not last or tonumber(last) > LAST_DAY or math.abs(opening) > MAX_HITS then return end
  if first ~= '-' and first ~= 'x' then
    if not string.find(first, '^%d+$') or tonumber(first) < 1970 or tonumber(first) >= year_of(last) then return end
  end
  return last, opening, first
end

-- The hits of the days before the open one. Hot path at midnight: they are checked only if an update keeps them.
local function before_of(ledger) return string.match(ledger, '^%S+ %S+ %S+(.*)$') end

-- The parts of a ledger once a day is open, at the total so far; and the year that this closes, with its entry.
local function opened(ledger, total, day)
  local last, opening, first = head_of(ledger)
  if not last then return text(day), text(total), total > 0 and 'x' or '-', '' end
  local before = before_of(ledger)
  if tonumber(last) >= day then return last, opening, first, before end
  if first == 'x' then first = '-' end
  local hits = ' ' .. text(math.max(0, total - opening))
  if year_of(last) == year_of(day) then
    return text(day), text(total), first, string.rep(' 0', day - last - 1) .. hits .. before
  end
  local year = text(year_of(last))
  return text(day), text(total), first == '-' and year or first, '', year, last .. hits .. before
end

-- Opens a day; if its hits then fail, it does no harm. Of a ledger that a reader found damaged, the open day and the years
-- before stay.
local function open(key, total, day, damaged)
  local held = redis.call('GET', key) or ''
  local known = held == damaged and string.match(held, '^%S+ %S+ %S+') or held
  local last, opening, first, before, closed_year, entry = opened(known, total, day)
  if closed_year then redis.call('SET', year_key(key, closed_year), entry) end
  local ledger = last .. ' ' .. opening .. ' ' .. first .. before
  -- One with an x may be left from a counter that was deleted, and would expire.
  if ledger ~= held or first == 'x' then redis.call('SET', key, ledger) end
end

-- The entries that the years before the open one may have, as pairs of a year and its key.
local function years_of(ledger_key, ledger)
  local last, _, first = head_of(ledger)
  local years = {}
  for year = tonumber(first) or math.huge, last and year_of(last) - 1 or 0 do
    years[#years + 1] = { text(year), year_key(ledger_key, year) }
  end
  return years
end

-- All that is held of a counter: total, ledger, and each year with its text.
local function snapshot(key, ledger_key)
  local held = { redis.call('GET', key), redis.call('GET', ledger_key) }
  local years = years_of(ledger_key, held[2] or '')
  if #years == 0 then return held end
  local keys = { key, ledger_key }
  for at, entry in ipairs(years) do keys[at + 2] = entry[2] end
  local found = redis.call('MGET', unpack(keys))
  for at, entry in ipairs(years) do
    local hits = found[at + 2]
    if hits then
      held[#held + 1] = entry[1]
      held[#held + 1] = hits
    end
  end
  return held
end
`;

/** The scripts, each given the key of a counter and that of its ledger, see `layout.ts` for the texts of both. */
export async function createScripts() {
  return {
    /**
     * Adds hits of a day. Arguments: the day, how many, and the ledger if it is known to be damaged. Returns the new total.
     */
    add: await scriptOf(`
local day, amount = tonumber(ARGV[1]), tonumber(ARGV[2])
local total = total_of(redis.call('GET', KEYS[1]))
if not total then return not_a_counter() end
if total + amount > MAX_HITS then return full() end
open(KEYS[2], total, day, ARGV[3])
return redis.call('INCRBY', KEYS[1], ARGV[2])
`),

    /**
     * Keeps the ledger of a counter that somebody has deleted, and that began again with plain hits of a process to which its
     * day was open. Argument: the day, to which all hits since belong unless the counter was set.
     */
    begin: await scriptOf(`
if not redis.call('GET', KEYS[1]) then return 0 end
local ledger = redis.call('GET', KEYS[2]) or ''
local last, _, first = head_of(ledger)
if not last then redis.call('SET', KEYS[2], ARGV[1] .. ' 0 -')
elseif first == 'x' then redis.call('SET', KEYS[2], last .. ' 0 -' .. before_of(ledger)) end
return 1
`),

    /**
     * Undoes an addition that left the bounds of a counter, unless the counter was set or deleted since. Argument: how
     * many hits it was.
     */
    undoIncrement: await scriptOf(`
local total = total_of(redis.call('GET', KEYS[1]))
if total and total >= tonumber(ARGV[1]) then return total end
return redis.call('INCRBY', KEYS[1], '-' .. ARGV[1])
`),

    /**
     * Adds hits of a day that count once, in their order. Arguments: the day, for how many seconds it goes on, the ledger
     * if it is known to be damaged, then of each hit its idempotency key and its visitor, either of which may be empty, and
     * whether a new visitor is remembered. Returns the number of each hit and whether it was counted already.
     * Idempotency keys are kept for 24 hours, visitors until their day ends, both beside the ledger.
     */
    once: await scriptOf(`
local day, seconds, damaged = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local seen, epoch_key = beside(KEYS[2], 'seen' .. ARGV[1]), beside(KEYS[2], 'epoch')
local held = redis.call('GET', KEYS[1])
local total = total_of(held)
if not total then return not_a_counter() end

local keys, visitors = {}, false
for at = 4, #ARGV, 3 do
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

local amount, answers, firsts, again, new_visitors, is_new = 0, {}, {}, {}, {}, {}
for at = 4, #ARGV, 3 do
  local key, visitor = ARGV[at], ARGV[at + 1]
  if known[key] then again[key] = known[key] end
  local first = firsts[key] or again[key]
  local repeated = first
  if not first then
    repeated = visitor ~= '' and (is_new[visitor] or redis.call('SISMEMBER', seen, visitor) == 1)
    if not repeated then
      amount = amount + 1
      if visitor ~= '' and ARGV[at + 2] == '1' then
        new_visitors[#new_visitors + 1], is_new[visitor] = visitor, true
      end
    end
    first = text(total + amount)
    if key ~= '' then firsts[key] = first end
  end
  answers[#answers + 1] = first
  answers[#answers + 1] = repeated and 1 or 0
end

if total + amount > MAX_HITS then return full() end
if amount > 0 or #keys > 0 then check_set(KEYS[1], held) end
local has_end = #new_visitors > 0 and redis.call('EXPIRE', seen, seconds) == 1
if amount > 0 then open(KEYS[2], total, day, damaged) end
if #new_visitors > 0 then write('SADD', seen, unpack(new_visitors)) end
if #new_visitors > 0 and not has_end then write('EXPIRE', seen, seconds) end
for key, first in pairs(firsts) do write('SET', once_key(key), first, 'PX', 86400000) end
if next(firsts) and epoch ~= '' then write('SET', epoch_key, epoch, 'EX', EPOCH_S) end
-- Written again, so that WAIT covers this key too: its first caller may have waited in vain.
for key, first in pairs(again) do write('SET', once_key(key), first, 'KEEPTTL') end
if amount > 0 then write('INCRBY', KEYS[1], text(amount)) end
return answers
`),

    /**
     * Sets a counter. Arguments: the mode, the day, the total, which is empty where it grows by as much as the days do, then
     * either nothing, and the known days stay, or the ledger that the days have beside a total of 0 and each of their years
     * with its text. Returns a snapshot from before. Refuses what `refusalOf` refuses, which was asked already if the days
     * replace all others.
     */
    set: await scriptOf(`
local mode, today, hits, given = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local key, ledger_key = KEYS[1], KEYS[2]
local held = snapshot(key, ledger_key)

-- Most lines of an import are new counters without days: what follows would do the same in twice the time.
if not held[1] and not held[2] and not given then
  redis.call('SET', ledger_key, ARGV[2] .. ' ' .. ARGV[3] .. ' -')
  redis.call('SET', key, ARGV[3])
  return held
end

-- The sum of the hits of a year; nil if its entry is out of bounds, or the sum not exact.
local function sum_of(year, entry)
  local last, numbers = string.match(entry, '^(%d+)(.*)$')
  if not last or tonumber(last) > LAST_DAY or text(year_of(last)) ~= year then return nil end
  local first_day = math.ceil((year - 1968) * 1461 / 4) - 731
  local rest, count = string.gsub(numbers, ' %d+', '')
  if rest ~= '' or count > last - first_day + 1 then return nil end
  local sum = 0
  for number in string.gmatch(numbers, '%d+') do sum = sum + number end
  return sum <= MAX_HITS and sum or nil
end

local function sum_of_all(years)
  local sum = 0
  for year, entry in pairs(years) do sum = sum + (sum_of(year, entry) or math.huge) end
  return sum
end

-- The larger number of each day of a year.
local function larger(one, other)
  local last, other_last = tonumber(string.match(one, '^%d+')), tonumber(string.match(other, '^%d+'))
  if last < other_last then one, last, other, other_last = other, other_last, one, last end
  local list, at = {}, last - other_last
  for number in string.gmatch(one, ' (%d+)') do list[#list + 1] = number end
  while #list < at do list[#list + 1] = '0' end
  for number in string.gmatch(other, ' (%d+)') do
    at = at + 1
    if tonumber(number) > tonumber(list[at] or -1) then list[at] = number end
  end
  return text(last) .. ' ' .. table.concat(list, ' ')
end

-- The entries of years that stand in a list from a place on.
local function years_in(list, from)
  local years = {}
  for at = from, #list, 2 do years[list[at]] = list[at + 1] end
  return years
end

local function last_day(ledger) return tonumber((head_of(ledger))) or 0 end

local total, ledger = total_of(held[1]), held[2] or ''
if not total then return not_a_counter() end
local day = math.max(today, last_day(ledger), last_day(given or ''))
local open_year = text(year_of(day))

-- All days once this day is open, as the entries of their years, the open one among them.
local function days_of(ledger, total, years)
  local _, opening, _, before, closed_year, entry = opened(ledger, total, day)
  if closed_year then years[closed_year] = entry end
  years[open_year] = text(day) .. ' ' .. text(math.max(0, total - opening)) .. before
  return years
end

-- What is known stays as far as it is in bounds, unless the days that are given replace all of it.
local stored = years_in(held, 3)
local known = {}
if not given or mode == 'max' then
  local last = head_of(ledger)
  if last and sum_of(text(year_of(last)), last .. ' 0' .. before_of(ledger)) then
    for year, entry in pairs(stored) do known[year] = sum_of(year, entry) and entry end
  else ledger = '' end
  known = days_of(ledger, total, known)
end
local days, sum, after = known, 0, hits
if given then days = days_of(given, 0, years_in(ARGV, 5)) end
if given and mode == 'max' then
  for year, entry in pairs(known) do days[year] = days[year] and larger(entry, days[year]) or entry end
end
if not given or mode == 'max' then sum = sum_of_all(days) end
if not hits then after = total + sum - sum_of_all(known)
elseif mode == 'max' then after = math.max(hits, total) end
if after > MAX_HITS then return full() end
if sum > math.max(after, 2 ^ 52) then return redis.error_reply('ERR ${SCRIPT_ERRORS.fullOfDays}') end

local of_today, before = string.match(days[open_year], '^%d+ (%d+)(.*)$')
days[open_year] = nil
local first_year, touched, gone = '-', { key, ledger_key }, {}
for year, entry in pairs(days) do
  if first_year == '-' or tonumber(year) < tonumber(first_year) then first_year = year end
  if entry ~= stored[year] then touched[#touched + 1] = year_key(ledger_key, year) end
end
for year in pairs(stored) do
  if not days[year] then gone[#gone + 1] = year_key(ledger_key, year) end
end
for _, each in ipairs(gone) do touched[#touched + 1] = each end
all_here(touched)
check_set(key, held[1])
if #gone > 0 then write('DEL', unpack(gone)) end
for year, entry in pairs(days) do
  if entry ~= stored[year] then write('SET', year_key(ledger_key, year), entry) end
end
write('SET', ledger_key, text(day) .. ' ' .. text(after - of_today) .. ' ' .. first_year .. before)
write('SET', key, text(after), 'KEEPTTL')
return held
`),

    /**
     * Removes a counter with its days and deduplication keys. Arguments: the day, and a text that no other deletion is given.
     * Returns a snapshot from before.
     *
     * Another process may know that the day is open and add to the counter without a look at the ledger: for as long as
     * that is possible, a ledger is left that takes those hits. The names of idempotency keys are not known here: later ones
     * have the text in their name, so that the old ones, which expire within a day, are never found again.
     */
    delete: await scriptOf(`
local held = snapshot(KEYS[1], KEYS[2])
if not total_of(held[1]) then return not_a_counter() end
if not held[1] and not held[2] then return held end

local epoch = beside(KEYS[2], 'epoch')
local gone = { KEYS[1] }
for _, entry in ipairs(years_of(KEYS[2], held[2] or '')) do gone[#gone + 1] = entry[2] end
-- At UTC-12 it is still the day before yesterday of UTC+14.
for day = ARGV[1] - 2, ARGV[1] + 2 do gone[#gone + 1] = beside(KEYS[2], 'seen' .. text(day)) end
all_here({ KEYS[2], epoch, unpack(gone) })
-- A Redis that is out of memory takes it all the same, once something was removed.
local refused = redis.pcall('SET', KEYS[1], '', held[1] and 'NX' or 'XX')
if type(refused) == 'table' and refused.err and not string.find(refused.err, '${OUT_OF_MEMORY}', 1, true) then
  return refused
end

write('DEL', unpack(gone))
write('SET', KEYS[2], ARGV[1] .. ' 0 x', 'EX', 172800)
write('SET', epoch, ARGV[2], 'EX', EPOCH_S)
return held
`),
  };
}

async function scriptOf(own: string): Promise<Script> {
  const text = COMMON + own;
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return { text, sha: new Uint8Array(digest).toHex() };
}
