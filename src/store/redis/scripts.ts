import { LAST_DAY } from "../../domain/history.ts";
import { MAX_HITS } from "../../domain/store.ts";
import type { StoreLink } from "./node.ts";
import { type Command, isRefused, OUT_OF_MEMORY, type Reply, SCRIPT_ERRORS } from "./reply.ts";

/**
 * Time for which a counter remembers its deletion, in seconds. It is longer than the life of any
 * idempotency key that was set before.
 */
export const EPOCH_SECONDS = 90_000;

/**
 * Shared by all scripts. `KEYS[1]` is the total of a counter and `KEYS[2]` its ledger. See
 * `redis_layout.ts` for the texts.
 *
 * Redis undoes nothing if a command of a script fails. Each script therefore reads everything
 * first. Then come the commands that Redis may refuse, in a form that changes nothing. `write` is
 * for later commands. Its error says that an earlier change stays.
 *
 * `parts_of` returns nothing for a text that is no ledger, and `open` fails then. Otherwise `open`
 * opens a day, as `rollOverDay` does. If the open day is later than `latest`, it ends that day, as
 * `dropAhead` does, and returns true. It does no harm if the hits of the script then fail. A ledger
 * with an `x` may be left from a counter that was deleted, so it is stored again, because it would
 * expire.
 */
const COMMON = `
local MAX_HITS = ${MAX_HITS}

local function text(number) return string.format('%.0f', number) end
local function year_of(day) return 1968 + math.floor(4 * (day + 731) / 1461) end
local function related(name) return (string.gsub(KEYS[2], '}days', '}' .. name, 1)) end
local function refuse(message) return redis.error_reply('ERR ' .. message) end

local function total_of(stored)
  local total = string.match(stored or '0', '^[1-9]%d*$')
  if total and #total <= 16 and tonumber(total) <= MAX_HITS then return tonumber(total) end
  return (stored or '0') == '0' and 0 or nil
end

local is_changed = false
local function write(...)
  local reply = is_changed and redis.pcall(...) or redis.call(...)
  if type(reply) == 'table' and reply.err then
    error('${SCRIPT_ERRORS.partlyDone}: ' .. reply.err)
  end
  is_changed = true
end

local function parts_of(ledger)
  local last, start, first, before = string.match(ledger, '^(%d+) (%-?%d+) (%S+)(.*)$')
  if not last or tonumber(last) > ${LAST_DAY} or math.abs(start) > MAX_HITS then return end
  local year = first ~= '-' and first ~= 'x' and (tonumber(first) or 0)
  if year and (year < 1970 or year >= year_of(last)) then return end
  return last, start, first, before
end

local function open(total, day, latest)
  local stored = redis.call('GET', KEYS[2])
  local last, start, first, before = parts_of(stored or '')
  local is_ahead = last and tonumber(last) > latest
  if stored and not last then error('${SCRIPT_ERRORS.notACounter}')
  elseif not stored then
    last, start, first, before = text(day), text(total), total > 0 and 'x' or '-', ''
  elseif is_ahead then
    local year, opened, newest = year_of(day), year_of(last), last - 1
    if year < opened then
      -- GET would find nothing while the slot is being moved.
      local closed = redis.call('MGET', KEYS[2], related('days' .. year))[2] or ''
      newest, before = string.match(closed, '^(%d+)([ %d]*)$')
      newest, before = newest or day, before or ''
    end
    for closed = year, opened - 1 do redis.call('DEL', related('days' .. closed)) end
    before = string.rep(' 0', day - newest) .. string.gsub(before, ' %d+', '', newest - day)
    local hits, older = string.match(before, '^ (%d+)(.*)$')
    last, start, before = text(day), text(math.min(total, start) - (hits or 0)), older or ''
    first = (tonumber(first) or year) < year and first or '-'
  elseif tonumber(last) < day then
    local hits, year = ' ' .. text(math.max(0, total - start)), year_of(last)
    if first == 'x' then first = '-' end
    if year == year_of(day) then
      before = string.rep(' 0', day - last - 1) .. hits .. before
    else
      redis.call('SET', related('days' .. year), last .. hits .. before)
      first, before = first == '-' and text(year) or first, ''
    end
    last, start = text(day), text(total)
  end
  local ledger = last .. ' ' .. start .. ' ' .. first .. before
  if ledger ~= stored or first == 'x' then redis.call('SET', KEYS[2], ledger) end
  return is_ahead
end
`;

const SCRIPTS = {
  /**
   * Adds hits of a day. Arguments: the day, the latest open day, and the amount. Returns the new
   * total, in a list if it ended a day that was ahead. SET removes a time to live that another
   * program gave the total, which INCRBY would keep.
   */
  add: await scriptOf(`
local total = total_of(redis.call('GET', KEYS[1]))
if not total then return refuse('${SCRIPT_ERRORS.notACounter}') end
if total + ARGV[3] > MAX_HITS then return refuse('${SCRIPT_ERRORS.full}') end
local is_ahead = open(total, tonumber(ARGV[1]), tonumber(ARGV[2]))
redis.call('SET', KEYS[1], text(total), 'XX')
local sum = redis.call('INCRBY', KEYS[1], ARGV[3])
return is_ahead and { sum } or sum
`),

  /**
   * Opens the day of plain hits that were added although it was not open. Arguments: the day, and
   * the total before them. All hits of a counter that was deleted belong to the day of its ledger.
   * A day that is ahead stays, because the hits were added to it.
   */
  begin: await scriptOf(`
if not redis.call('GET', KEYS[1]) then return end
local day, start = tonumber(ARGV[1]), tonumber(ARGV[2])
local last, _, first, before = parts_of(redis.call('GET', KEYS[2]) or '')
if first == 'x' and start == 0 then redis.call('SET', KEYS[2], last .. ' 0 -' .. before)
else open(start, day, math.huge) end
`),

  /**
   * Uses the commands of the first hit of a day, without a change, to find out if Redis refuses
   * one. SET with `XX` does nothing, because its key never exists. INCRBY refuses an amount that is
   * no number, as the last of its checks. Returns 1, or the error of Redis.
   */
  probe: await scriptOf(`
local none = related('none')
redis.call('GET', none)
redis.call('SET', none, '', 'XX')
local refusal = redis.pcall('INCRBY', none, 'none')
return string.find(refusal.err, '${SCRIPT_ERRORS.notACounter}', 1, true) and 1 or refusal
`),

  /**
   * Undoes an addition that left the bounds of a counter, unless the counter was set or deleted
   * since. Argument: the amount.
   */
  undoIncrement: await scriptOf(`
local total = total_of(redis.call('GET', KEYS[1]))
if total and total >= tonumber(ARGV[1]) then return total end
return redis.call('INCRBY', KEYS[1], '-' .. ARGV[1])
`),

  /**
   * Adds hits of a day that count once, in their order. `KEYS[3]` holds the visitors of the day
   * and `KEYS[4]` the epoch of the idempotency keys, if the hits have any. Arguments: the day,
   * the latest open day, the seconds until the day ends, then three for each hit:
   * 1. its idempotency key, or empty
   * 2. its visitor, or empty
   * 3. 1 if a new visitor is remembered
   *
   * Returns the number of each hit, followed by 1 if it is a repeat, and one more number at the end
   * if a day that was ahead ended. Idempotency keys are kept for 24 hours, visitors until the day
   * ends.
   *
   * The names of idempotency keys contain the epoch, so `KEYS` cannot declare them. While their
   * slot is being moved, some may be on another node. There the MGET of all of them and the total
   * fails, where a GET of each would find no key. The keys of repeats are stored again so that WAIT
   * covers them, because their first caller may have waited in vain.
   */
  once: await scriptOf(`
local stored, epoch = redis.call('GET', KEYS[1]), redis.call('GET', KEYS[4]) or ''
local total = total_of(stored)
if not total then return refuse('${SCRIPT_ERRORS.notACounter}') end
local function once_key(key) return related('once' .. epoch .. ':' .. key) end

local names, known = { KEYS[1] }, {}
for at = 4, #ARGV, 3 do
  if ARGV[at] ~= '' then names[#names + 1] = once_key(ARGV[at]) end
end
for at, number in ipairs(redis.call('MGET', unpack(names))) do known[names[at]] = number end

local amount, replies, firsts, again, visitors, is_new = 0, {}, {}, {}, {}, {}
for at = 4, #ARGV, 3 do
  local name, visitor = ARGV[at] ~= '' and once_key(ARGV[at]), ARGV[at + 1]
  if name then again[name] = known[name] or nil end
  local first = name and (firsts[name] or known[name])
  local is_repeat = first
  if not first then
    is_repeat = visitor ~= '' and
      (is_new[visitor] or redis.call('SISMEMBER', KEYS[3], visitor) == 1)
    if not is_repeat then
      amount = amount + 1
      if visitor ~= '' and ARGV[at + 2] == '1' then
        visitors[#visitors + 1], is_new[visitor] = visitor, true
      end
    end
    first = text(total + amount)
    if name then firsts[name] = first end
  end
  replies[#replies + 1], replies[#replies + 2] = first, is_repeat and 1 or 0
end

if total + amount > MAX_HITS then return refuse('${SCRIPT_ERRORS.full}') end
if amount > 0 or #names > 1 then redis.call('SET', KEYS[1], '', stored and 'NX' or 'XX') end
-- A user who may not add cannot add by SET either.
local reply = amount > 0 and redis.pcall('INCRBY', KEYS[1], 'none')
if reply and not string.find(reply.err, '${SCRIPT_ERRORS.notACounter}', 1, true) then return reply end
local has_end = #visitors > 0 and redis.call('EXPIRE', KEYS[3], ARGV[3]) == 1
local is_ahead = amount > 0 and open(total, tonumber(ARGV[1]), tonumber(ARGV[2]))
if #visitors > 0 then write('SADD', KEYS[3], unpack(visitors)) end
if #visitors > 0 and not has_end then write('EXPIRE', KEYS[3], ARGV[3]) end
for name, first in pairs(firsts) do write('SET', name, first, 'PX', 86400000) end
if next(firsts) and epoch ~= '' then write('SET', KEYS[4], epoch, 'EX', ${EPOCH_SECONDS}) end
for name, first in pairs(again) do write('SET', name, first, 'KEEPTTL') end
if amount > 0 then write('SET', KEYS[1], text(total + amount)) end
if is_ahead then replies[#replies + 1] = 1 end
return replies
`),

  /**
   * Compares and sets the entries of a counter, and knows nothing about days. Two arguments for
   * each key:
   * 1. the expected value: `=` and the text, `-` if there must be none, or empty if any will do
   *    (any total for the first key)
   * 2. the new value: `=` and the text, `-` to delete it, or empty to leave it. A number before
   *    the `=` is its time to live in seconds.
   *
   * Returns the total before, or `-` if there was none. Returns nil and changes nothing if the
   * comparison fails. Fails itself if a key that it compares is not a string.
   *
   * Keys are deleted first, because a Redis that is out of memory accepts all commands of a
   * script after the first change.
   */
  swap: await scriptOf(`
local stored = redis.call('GET', KEYS[1])
local is_expected = ARGV[1] == (stored and '=' .. stored or '-')
if not is_expected and (ARGV[1] ~= '' or not stored or not total_of(stored)) then return false end
for at = 2, #KEYS do
  local expected = ARGV[2 * at - 1]
  local other = expected ~= '' and redis.call('GET', KEYS[at])
  if expected ~= '' and expected ~= (other and '=' .. other or '-') then return false end
end
local deleted = {}
for at, key in ipairs(KEYS) do
  if ARGV[2 * at] == '-' then deleted[#deleted + 1] = key end
end
if #deleted > 0 then
  local reply = redis.pcall('SET', KEYS[1], '', stored and 'NX' or 'XX')
  local refusal = type(reply) == 'table' and reply.err
  local is_full = ARGV[2] == '-' and string.find(refusal or '', '${OUT_OF_MEMORY}', 1, true)
  if refusal and not is_full then return reply end
  write('DEL', unpack(deleted))
end
for at, key in ipairs(KEYS) do
  local ttl, value = string.match(ARGV[2 * at], '^(%d*)=(.*)$')
  if value and ttl ~= '' then write('SET', key, value, 'EX', ttl)
  elseif value then write('SET', key, value) end
end
return stored or '-'
`),
};

/** Returns a script and the name that Redis has for it. */
async function scriptOf(body: string): Promise<{ text: string; sha: string }> {
  const text = COMMON + body;
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return { text, sha: new Uint8Array(digest).toHex() };
}

/** Returns the command that calls a script by its name. */
export function scriptCall(
  name: keyof typeof SCRIPTS,
  keys: readonly string[],
  args: readonly (string | number)[],
): Command {
  return ["EVALSHA", SCRIPTS[name].sha, String(keys.length), ...keys, ...args.map(String)];
}

/** Sends commands. Sends a script by its text if Redis does not know its name. */
export async function sendScripts(
  link: Pick<StoreLink, "send">,
  commands: readonly Command[],
): Promise<readonly Reply[]> {
  const replies = await link.send(commands);
  const unknown = commands.filter((_, at) => isRefused(replies[at], "unknownScript"));
  if (unknown.length === 0) return replies;
  const again = await link.send(unknown.map(([, name, ...rest]) => {
    const script = Object.values(SCRIPTS).find(({ sha }) => sha === name);
    return ["EVAL", script?.text ?? "", ...rest];
  }));
  const repliesAgain = again.values();
  return replies.map((reply) => {
    return isRefused(reply, "unknownScript") ? repliesAgain.next().value ?? reply : reply;
  });
}
