// Measurements of the node for one volume, from the text format of Prometheus.
import { send } from './client';

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;
const ESCAPES: Record<string, string> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

/** Returns the samples of a text. Skips comments and lines in other forms. */
export function samplesOf(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const match = line.startsWith('#') ? null : SAMPLE.exec(line);
    if (!match) {
      return [];
    }
    const [, name = '', labels = '', value = ''] = match;
    const pairs = [...labels.matchAll(LABEL)].map(([, key = '', text = '']) => [key, text.replace(/\\[n"\\]/g, (each) => ESCAPES[each] ?? each)]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}

/** Counters of a volume since its opening. */
export interface Figures {
  /** In milliseconds. */
  at: number;
  reads: number;
  writes: number;
  readBytes: number;
  writtenBytes: number;
  /** Number of requests with a measured time, and the sum of their times. */
  timed: number;
  seconds: number;
}

export interface Rates {
  at: number;
  reads: number;
  writes: number;
  readBytes: number;
  writtenBytes: number;
  /** Mean time of the completed requests; null if none completed. */
  milliseconds: number | null;
}

/** Returns the counters of the samples of a volume; undefined when the node does not serve it. */
export function figuresOf(samples: Sample[], at: number): Figures | undefined {
  const sum = (name: string, kind?: string) =>
    samples.filter((each) => each.name === name && (!kind || each.labels['kind'] === kind)).reduce((all, { value }) => all + value, 0);
  if (!samples.some(({ name }) => name === 'holdfast_volume_requests_in_flight')) {
    return undefined;
  }
  return {
    at,
    reads: sum('holdfast_volume_requests_total', 'read'),
    writes: sum('holdfast_volume_requests_total', 'write'),
    readBytes: sum('holdfast_volume_bytes_total', 'read'),
    writtenBytes: sum('holdfast_volume_bytes_total', 'write'),
    timed: sum('holdfast_volume_request_seconds_count'),
    seconds: sum('holdfast_volume_request_seconds_sum'),
  };
}

/** Returns the rates per second; undefined if the counters were reset in between. */
export function ratesBetween(before: Figures, after: Figures): Rates | undefined {
  const seconds = (after.at - before.at) / 1000;
  const timed = after.timed - before.timed;
  const rates = {
    reads: (after.reads - before.reads) / seconds,
    writes: (after.writes - before.writes) / seconds,
    readBytes: (after.readBytes - before.readBytes) / seconds,
    writtenBytes: (after.writtenBytes - before.writtenBytes) / seconds,
  };
  if (seconds <= 0 || timed < 0 || Object.values(rates).some((rate) => rate < 0)) {
    return undefined;
  }
  return { at: after.at, ...rates, milliseconds: timed === 0 ? null : ((after.seconds - before.seconds) * 1000) / timed };
}

export async function readFigures(volume: string): Promise<Figures | undefined> {
  const query = new URLSearchParams({ group: 'volume', volume }).toString();
  const response = await send(`../metrics?${query}`, { headers: { Accept: 'text/plain;version=0.0.4' } });
  return figuresOf(samplesOf(await response.text()), Date.now());
}
