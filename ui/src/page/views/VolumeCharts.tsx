import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { ApiError } from '../api/client';
import { ratesBetween, readFigures, type Figures, type Rates } from '../api/figures';
import { sizeText } from '../api/quantity';
import type { Volume } from '../api/types';
import { Chart } from '../parts/Chart';
import { Failure } from '../parts/Failure';
import { useText } from '../text/text';

const EVERY_MS = 5000;
const FORBIDDEN = 403;
/** Ten minutes. */
const KEPT = 120;

function perSecond(value: number): string {
  return `${value >= 100 || value === 0 ? value.toFixed(0) : value.toFixed(1)}/s`;
}

interface History {
  last: Figures | undefined;
  rates: Rates[];
}

function useRates(volume: string): { rates: Rates[]; served: boolean | undefined; error: Error | null } {
  const history = useRef<History>({ last: undefined, rates: [] });
  const { data, error } = useQuery({
    queryKey: ['figures', volume],
    queryFn: async () => {
      const figures = await readFigures(volume);
      const { last, rates } = history.current;
      const rate = last && figures && ratesBetween(last, figures);
      history.current = { last: figures, rates: rate ? [...rates, rate].slice(-KEPT) : figures ? rates : [] };
      return { rates: history.current.rates, served: figures !== undefined };
    },
    // After a refusal, for example without the right, the request is not repeated.
    refetchInterval: ({ state }) => !state.error && EVERY_MS,
    gcTime: 0,
  });
  return { rates: data?.rates ?? [], served: data?.served, error };
}

/** Client requests of the last ten minutes to a volume that this node serves. */
export default function VolumeCharts({ volume }: { volume: Volume }) {
  const text = useText();
  const { rates, served, error } = useRates(volume.metadata.name);
  const times = useMemo(() => rates.map(({ at }) => at / 1000), [rates]);
  const lines = useMemo(
    () => ({
      requests: [
        { label: text('chart.reads'), values: rates.map(({ reads }) => reads) },
        { label: text('chart.writes'), values: rates.map(({ writes }) => writes) },
      ],
      bytes: [
        { label: text('chart.readBytes'), values: rates.map(({ readBytes }) => readBytes) },
        { label: text('chart.writtenBytes'), values: rates.map(({ writtenBytes }) => writtenBytes) },
      ],
      time: [{ label: text('chart.mean'), values: rates.map(({ milliseconds }) => milliseconds) }],
    }),
    [rates, text],
  );
  if (error instanceof ApiError && error.code === FORBIDDEN) {
    return <p>{text('chart.noRight')}</p>;
  }
  if (error) {
    return <Failure error={error} />;
  }
  if (served === false) {
    const node = volume.status.currentNodeID;
    return <p>{node ? text('chart.elsewhere', { node }) : text('chart.detached')}</p>;
  }
  return (
    <>
      <Chart title={text('chart.requests')} times={times} lines={lines.requests} format={perSecond} />
      <Chart title={text('chart.bytes')} times={times} lines={lines.bytes} format={(value) => `${sizeText(Math.round(value))}/s`} />
      <Chart title={text('chart.time')} times={times} lines={lines.time} format={(value) => `${value.toFixed(2)} ms`} />
    </>
  );
}
