import { PARTLY_DONE } from "./connection/reply.ts";
import type { Command } from "./connection/client.ts";
import { MAX_HITS } from "../../counter/store.ts";
import { LAST_DAY } from "./limits.ts";

/** A script and the name that Redis has for it. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/** The scripts of a store. */
export interface Scripts {
  readonly add: Script;
  readonly begin: Script;
  readonly once: Script;
  readonly undoIncrement: Script;
  readonly set: Script;
  readonly delete: Script;
}

/** What a script is called with. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

/** Names the scripts. */
export async function nameScripts(): Promise<Scripts> {
  return {
    add: await named(ADD),
    begin: await named(BEGIN),
    once: await named(ONCE),
    undoIncrement: await named(UNDO_INCREMENT),
    set: await named(SET),
    delete: await named(DELETE),
  };
}

/** The command that has Redis carry out a script which it knows. */
export function callOf({ sha }: Script, { keys, args }: ScriptCall): Command {
  return ["EVALSHA", sha, String(keys.length), ...keys, ...args.map(String)];
}

/** The same command with the script itself, for a Redis that does not know it; undefined where there is none. */
export function withText([name, sha, ...rest]: Command, scripts: Scripts): Command | undefined {
  const script = Object.values(scripts).find((each) => each.sha === sha);
  return name === "EVALSHA" && script !== undefined ? ["EVAL", script.text, ...rest] : undefined;
}

/** Whether a command calls this script. */
export function isCallOf([name = "", which]: Command, { text, sha }: Script): boolean {
  return name.startsWith("EVAL") && (which === sha || which === text);
}

async function named(text: string): Promise<Script> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return { text, sha: new Uint8Array(digest).toHex() };
}

/**
 * What Redis carries out in one step, as Lua, given a counter's key and that of its ledger. See `layout.ts` for the texts.
 *
 * A script may fail at any command, and Redis undoes nothing. So each looks at everything first; then come the commands that
 * may be refused, in a form that changes nothing; whatever fails after the first change says so, see `write`.
 */
const COMMON = `
local MAX_HITS = ${MAX_HITS}
-- Longer than any idempotency key that is named after it.
local EPOCH_S = 90000
local LAST_DAY = ${LAST_DAY}

local function text(number) return string.format('%.0f', number) end

local function year_of(day) return 1968 + math.floor(4 * (day + 731) / 1461) end

local function beside(ledger, name) return (string.gsub(ledger, '}days', '}' .. name, 1)) end
local function year_key(ledger, year) return beside(ledger, 'days' .. year) end

-- The number that a text holds; nil where that is no counter.
local function total_of(held)
  held = held or '0'
  if held ~= '0' and not string.match(held, '^[1-9]%d*$') then return nil end
  if #held > 16 or tonumber(held) > MAX_HITS then return nil end
  return tonumber(held)
end

local function no_counter() return redis.error_reply('ERR value is not an integer or out of range') end

-- Fails where one of these keys is not on this node, or none can tell, as their slot is being moved. A command with a single
-- key that was not declared would find nothing there, and a node that a slot is moved to would even write it.
local function all_here(keys) redis.call('MGET', unpack(keys)) end

-- Fails where SET is not allowed, or memory is short, and changes nothing.
local function check_set(key, is_there)
  redis.call('SET', key, '', is_there and 'NX' or 'XX')
end

local is_changed = false

-- A command that changes something; where it fails after others, what the script did so far stays.
local function write(...)
  local reply = is_changed and redis.pcall(...) or redis.call(...)
  if type(reply) == 'table' and reply.err then error('${PARTLY_DONE}: ' .. reply.err) end
  is_changed = true
end

-- The open day of a ledger, its opening, and the first year; nothing where it is out of bounds.
local function head_of(ledger)
  local last, opening, first = string.match(ledger, '^(%d+) (%-?%d+) (%S+)')
  if not last or tonumber(last) > LAST_DAY or math.abs(opening) > MAX_HITS then return end
  if first ~= '-' and first ~= 'x' then
    if not string.find(first, '^%d+$') or tonumber(first) < 1970 or tonumber(first) >= year_of(last) then return end
  end
  return last, opening, first
end

-- The hits of the days before the open one. Hot path at midnight: they are looked at only where a setting keeps them.
local function before_of(ledger) return string.match(ledger, '^%S+ %S+ %S+(.*)$') end

-- The parts of a ledger once a day is open, at the total so far; and the year that this ends, with its text.
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
  local over = year_of(last)
  return text(day), text(total), first == '-' and text(over) or first, '', over, last .. hits .. before
end

-- Opens a day, whatever becomes of its hits: these come to the same if it is open.
local function open(key, total, day)
  local held = redis.call('GET', key) or ''
  local last, opening, first, before, over, ended = opened(held, total, day)
  if over then redis.call('SET', year_key(key, over), ended) end
  local ledger = last .. ' ' .. opening .. ' ' .. first .. before
  -- One with an x may be left of a counter that was deleted, and end of itself.
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

/** Adds hits of a day. Arguments: the day, and how many. Answers with the new total. */
const ADD = `${COMMON}
local day, amount = tonumber(ARGV[1]), tonumber(ARGV[2])
local total = total_of(redis.call('GET', KEYS[1]))
if not total then return no_counter() end
if total + amount > MAX_HITS then return redis.error_reply('ERR counter is full') end
open(KEYS[2], total, day)
return redis.call('INCRBY', KEYS[1], ARGV[2])
`;

/**
 * Makes the ledger stay of a counter that began with hits of a process to which its day was open: somebody has deleted it
 * since. Argument: the day. Whatever was counted since belongs to that day, except where the counter was set.
 */
const BEGIN = `${COMMON}
if not redis.call('GET', KEYS[1]) then return 0 end
local ledger = redis.call('GET', KEYS[2]) or ''
local last, _, first = head_of(ledger)
if not last then redis.call('SET', KEYS[2], ARGV[1] .. ' 0 -')
elseif first == 'x' then redis.call('SET', KEYS[2], last .. ' 0 -' .. before_of(ledger)) end
return 1
`;

/**
 * Undoes an addition that left the bounds of a counter, unless somebody has set or deleted the counter since. Argument: how
 * many hits it was.
 */
const UNDO_INCREMENT = `${COMMON}
local total = total_of(redis.call('GET', KEYS[1]))
if total and total >= tonumber(ARGV[1]) then return total end
return redis.call('INCRBY', KEYS[1], '-' .. ARGV[1])
`;

/**
 * Adds hits of a day that count once, one after the other. Arguments: the day, for how many seconds it goes on, then of each
 * hit its key and its visitor, either of which may be empty, and whether a visitor who is new is remembered. Answers with
 * the number of each hit and whether it was counted already. Marks lie beside the ledger: a key for a day, visitors until
 * theirs ends.
 */
const ONCE = `${COMMON}
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

/**
 * Sets a counter. Arguments: the mode, the day, the total, which is empty where it grows by as much as the days do, then
 * either nothing, and the known days stay, or the ledger that the days have beside a total of 0 and each of their years with
 * its text. Answers with a snapshot from before. Refuses what `refusalOf` refuses, which was asked already where the days
 * take the place of all.
 */
const SET = `${COMMON}
local mode, today, hits, given = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local key, ledger_key = KEYS[1], KEYS[2]
local held = snapshot(key, ledger_key)

-- A new counter without days, as in most imports: what follows comes to the same, in twice the time.
if not held[1] and not held[2] and not given then
  redis.call('SET', ledger_key, ARGV[2] .. ' ' .. ARGV[3] .. ' -')
  redis.call('SET', key, ARGV[3])
  return held
end

local function first_day_of(year) return math.ceil((year - 1968) * 1461 / 4) - 731 end

-- The sum of a list of so many hits at most, each with a space before it; nil where it is none, or its sum not exact.
local function sum_of(numbers, most)
  local rest, count = string.gsub(numbers, ' %d+', '')
  if rest ~= '' or count > most then return nil end
  local sum = 0
  for number in string.gmatch(numbers, '%d+') do sum = sum + number end
  return sum <= MAX_HITS and sum or nil
end

local function sum_of_year(year, held)
  local last, hits = string.match(held, '^(%d+)(.*)$')
  if not last or tonumber(last) > LAST_DAY or year_of(last) ~= tonumber(year) then return nil end
  return sum_of(hits, last - first_day_of(year) + 1)
end

-- The larger number of each day; both begin with the same one.
local function larger(one, other)
  local list, at = {}, 0
  for number in string.gmatch(one, '%d+') do list[#list + 1] = number end
  for number in string.gmatch(other, '%d+') do
    at = at + 1
    if tonumber(number) > tonumber(list[at] or -1) then list[at] = number end
  end
  return #list > 0 and ' ' .. table.concat(list, ' ') or ''
end

local function larger_year(one, other)
  local last, hits = string.match(one, '^(%d+)(.*)$')
  local other_last, other_hits = string.match(other, '^(%d+)(.*)$')
  local later = math.max(last, other_last)
  return text(later) ..
    larger(string.rep(' 0', later - last) .. hits, string.rep(' 0', later - other_last) .. other_hits)
end

local function earlier(one, other)
  if one == '-' or other == '-' then return one == '-' and other or one end
  return text(math.min(one, other))
end

-- The years that stand in a list from a place on, each with its text.
local function years_in(list, from)
  local years = {}
  for at = from, #list, 2 do years[list[at]] = list[at + 1] end
  return years
end

-- The parts of a ledger once a day is open; a year that this ends goes to the others.
local function parts_at(day, ledger, total, years)
  local last, opening, first, before, over, ended = opened(ledger, total, day)
  if over then years[text(over)] = ended end
  return last, opening, first == 'x' and '-' or first, before
end

local function last_day(ledger) return tonumber((head_of(ledger))) or 0 end

local total, ledger = total_of(held[1]), held[2] or ''
if not total then return no_counter() end
local after = mode == 'max' and math.max(hits or 0, total) or hits
local known, years = years_in(held, 3), years_in(ARGV, 5)

-- What is known stays, and counts only as far as it is in bounds; with its sum.
local sum = 0
if not given or mode == 'max' then
  local last, opening = head_of(ledger)
  local of_ledger = last and sum_of(before_of(ledger), last - first_day_of(year_of(last)))
  if not of_ledger then ledger, known = '', {} else sum = of_ledger + math.max(0, total - opening) end
  for year, hits_of_year in pairs(known) do
    local of_year = sum_of_year(year, hits_of_year)
    if of_year then sum = sum + of_year else known[year] = nil end
  end
end
local day = math.max(today, last_day(ledger), last_day(given or ''))

local last, opening, first, before
if not given then
  last, opening, first, before = parts_at(day, ledger, total, years)
  opening = after - math.max(0, total - opening)
else
  last, opening, first, before = parts_at(day, given, 0, years)
  local of_today = -opening
  if mode == 'max' then
    local _, was, was_first, was_before = parts_at(day, ledger, total, known)
    of_today = math.max(of_today, total - was)
    first, before = earlier(first, was_first), larger(was_before, before)
    for year, was_hits in pairs(known) do
      years[year] = years[year] and larger_year(was_hits, years[year]) or was_hits
    end
    local was_sum = sum
    sum = of_today + (sum_of(before, math.huge) or math.huge)
    for year, hits_of_year in pairs(years) do
      sum = sum + (sum_of_year(year, hits_of_year) or math.huge)
    end
    if not hits then after = total + (sum - was_sum) end
  end
  opening = after - of_today
end
if after > MAX_HITS then return redis.error_reply('ERR counter is full') end
if sum > math.max(after, 2 ^ 52) then return redis.error_reply('ERR counter is full of days') end

local touched, gone = { key, ledger_key }, {}
for year in pairs(years) do touched[#touched + 1] = year_key(ledger_key, year) end
if given and mode ~= 'max' then
  for _, entry in ipairs(years_of(ledger_key, ledger)) do
    if not years[entry[1]] then
      touched[#touched + 1], gone[#gone + 1] = entry[2], entry[2]
    end
  end
end
all_here(touched)
check_set(key, held[1])
if #gone > 0 then write('DEL', unpack(gone)) end
for year, hits_of_year in pairs(years) do write('SET', year_key(ledger_key, year), hits_of_year) end
write('SET', ledger_key, last .. ' ' .. text(opening) .. ' ' .. first .. before)
write('SET', key, text(after), 'KEEPTTL')
return held
`;

/**
 * Removes a counter with its days and marks. Arguments: the day, and a text that no other deletion is given. Answers with a
 * snapshot from before.
 *
 * Another process may know that the day is open and add to the counter without a look at the ledger: for as long as
 * that may be, one is left that takes those hits. The names of keys of hits are not known here: those that come later have
 * the text in theirs, so that the old ones, which end within a day, are never found again.
 */
const DELETE = `${COMMON}
local held = snapshot(KEYS[1], KEYS[2])
if not total_of(held[1]) then return no_counter() end
if not held[1] and not held[2] then return held end

local epoch = beside(KEYS[2], 'epoch')
local gone = { KEYS[1] }
for _, entry in ipairs(years_of(KEYS[2], held[2] or '')) do gone[#gone + 1] = entry[2] end
for day = ARGV[1] - 1, ARGV[1] + 1 do gone[#gone + 1] = beside(KEYS[2], 'seen' .. text(day)) end
all_here({ KEYS[2], epoch, unpack(gone) })
-- A Redis that is out of memory takes it all the same, once something was removed.
local refused = redis.pcall('SET', KEYS[1], '', held[1] and 'NX' or 'XX')
if type(refused) == 'table' and refused.err and not string.find(refused.err, 'OOM', 1, true) then
  return refused
end

write('DEL', unpack(gone))
write('SET', KEYS[2], ARGV[1] .. ' 0 x', 'EX', 172800)
write('SET', epoch, ARGV[2], 'EX', EPOCH_S)
return held
`;
