// Sizes and ages in the form that the commands print.
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const FACTORS: Record<string, number> = {
  '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
};

/** Returns the bytes of a text such as 1Gi; undefined if it is not a size. */
export function bytesOf(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([kMGTPE]|[KMGTPE]i)?$/.exec(text.trim());
  return match ? Number(match[1]) * (FACTORS[match[2] ?? ''] ?? 1) : undefined;
}

/** Returns for example 1.5Gi. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < BINARY.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = value >= 100 || Number.isInteger(value) ? 0 : 1;
  return `${value.toFixed(digits)}${BINARY[unit]}`;
}

/** Returns a size of the API in the short form. */
export function shortSize(text: string | undefined): string {
  const bytes = text === undefined ? undefined : bytesOf(text);
  return bytes === undefined ? '' : sizeText(bytes);
}

/** Returns for example 7s, 5m, 3h or 12d. */
export function ageText(since: string | undefined, now: number): string {
  return since ? periodText((now - Date.parse(since)) / 1000) : '';
}

/** Returns the time until a date in the form of an age; 0s if the date has passed. */
export function timeLeftText(until: string | undefined, now: number): string {
  return until ? periodText((Date.parse(until) - now) / 1000) : '';
}

function periodText(length: number): string {
  const seconds = Math.max(0, Math.floor(length));
  if (seconds < 120) {
    return `${seconds}s`;
  }
  if (seconds < 2 * 3600) {
    return `${Math.floor(seconds / 60)}m`;
  }
  return seconds < 48 * 3600 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86400)}d`;
}
