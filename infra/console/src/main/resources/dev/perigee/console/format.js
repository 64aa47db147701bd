// How things are said. Pure.

const pad = (number, width = 2) => String(number).padStart(width, '0');

export function clock(at) {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '?' : `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

export function clockMillis(at) {
  return `${clock(at)}.${pad(new Date(at).getMilliseconds(), 3)}`;
}

// Control, format and bidi characters, line separators and halves of characters, but no layout and no joiners.
const OBEYED = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const MARKS = /([\p{Mn}\p{Me}]{8})([\p{Mn}\p{Me}]+)/gu;

const numbers = (text) => Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');

/** Text of foreign origin as it may be shown: what would hide or reorder text stands as its number, as in \u202e. */
export const visible = (text) => String(text ?? '').replace(OBEYED, numbers).replace(MARKS, (_, few, many) => few + numbers(many));

/** The time of day, with the day where that is another one. */
export function moment(at, now = Date.now()) {
  const date = new Date(at);
  const sameDay = date.toDateString() === new Date(now).toDateString();
  return sameDay ? clock(at) : `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${clock(at)}`;
}

export function duration(millis) {
  const seconds = Math.max(0, millis) / 1000;
  if (seconds < 10) return `${Math.floor(seconds * 10) / 10} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

/** How long ago, coarse enough not to flicker. */
export function ago(at, now = Date.now()) {
  const seconds = Math.max(0, Math.floor((now - new Date(at).getTime()) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}

export function bytes(count) {
  if (count < 1024) return `${count} B`;
  if (count < 1024 * 1024) return `${Math.round(count / 1024)} KiB`;
  return count < 1024 ** 3 ? `${Math.round(count / 1024 ** 2)} MiB` : `${(count / 1024 ** 3).toFixed(1)} GiB`;
}

export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** How many of the last minute's calls failed, of how many; from rates that are those of a minute. */
export function failedOf({ per_second, failed }) {
  const all = Math.round(per_second * 60);
  return `${Math.round(all * failed).toLocaleString('en')} of ${plural(all, 'call')}`;
}

const STATUSES = {
  online: ['ok', 'online'],
  command_received: ['move', 'command received'],
  provisioning: ['move', 'provisioning'],
  connecting: ['move', 'connecting'],
  discovering_tools: ['move', 'discovering tools'],
  syncing_tools: ['move', 'syncing tools'],
  restarting: ['move', 'restarting'],
  offline: ['off', 'offline'],
  error: ['bad', 'error'],
  requires_reauth: ['auth', 'requires reauth'],
  permanently_failed: ['dead', 'permanently failed'],
};

/** The group that a status belongs to, which decides shape, colour and order. */
export const groupOf = (status) => (STATUSES[status] ?? ['unknown'])[0];

export const statusText = (status) => (STATUSES[status] ?? [null, String(status).replaceAll('_', ' ')])[1];

const LINKS = { connected: 'ok', connecting: 'move', recovering: 'bad', failed: 'dead' };

export const linkGroup = (state) => LINKS[state] ?? 'unknown';

/** JSON on several lines where it is JSON. */
export function pretty(text) {
  if (text === null || text === undefined) return '';
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
