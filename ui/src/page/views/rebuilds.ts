import { bytesOf } from '../api/quantity';
import type { Engine } from '../api/types';

interface Rebuild {
  /** Name of the replica. */
  name: string;
  /** In percent. */
  progress: number;
  copied: number;
  total: number;
  /** Bytes per second since the previous sample; undefined without one, or if the copying restarted. */
  rate: number | undefined;
}

/** The rebuilds of a volume at the time of one sample. */
export interface RebuildSample {
  /** In milliseconds since 1970. */
  at: number;
  rebuilds: Rebuild[];
}

/** Returns the unfinished rebuilds of an engine, with their rates since an earlier sample. */
export function rebuildsOf(engine: Engine | undefined, at: number, before: RebuildSample | undefined): RebuildSample {
  const rebuilds = Object.entries(engine?.status.rebuildStatus ?? {})
    .filter(([, { state }]) => state === 'in_progress')
    .map(([name, { progress, ...sizes }]) => {
      const copied = bytesOf(sizes.copied) ?? 0;
      const earlier = before?.rebuilds.find((each) => each.name === name);
      const seconds = before ? (at - before.at) / 1000 : 0;
      const rate = earlier && seconds > 0 && copied >= earlier.copied ? (copied - earlier.copied) / seconds : undefined;
      return { name, progress, copied, total: bytesOf(sizes.total) ?? 0, rate };
    });
  return { at, rebuilds };
}
