import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { Rows } from './Rows';
import { useText } from '../text/text';

const HEIGHT = 160;
const COLOURS = ['#0066cc', '#ca6c0f'];

export interface Line {
  label: string;
  /** Null if nothing was measured. */
  values: (number | null)[];
}

interface Props {
  title: string;
  /** In seconds. */
  times: number[];
  lines: Line[];
  /** Formats a value. */
  format: (value: number) => string;
}

function options({ lines, format }: Props, element: HTMLElement): uPlot.Options {
  const stroke = getComputedStyle(element).color;
  const grid = { stroke: `${stroke}33`, width: 1 };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(high, 1)] } },
    axes: [
      { stroke, grid: { show: false } },
      { stroke, grid, size: 70, values: (_plot, ticks) => ticks.map(format) },
    ],
    series: [{}, ...lines.map((line, index) => ({ label: line.label, stroke: COLOURS[index % COLOURS.length] ?? stroke, width: 2 }))],
  };
}

function last(values: (number | null)[]): number | null {
  return values.at(-1) ?? null;
}

/** Draws values over time. The table below shows the last and the highest values. */
export function Chart(props: Props) {
  const { title, times, lines, format } = props;
  const text = useText();
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);

  useEffect(() => {
    const target = element.current;
    if (!target) {
      return undefined;
    }
    const made = new uPlot(options(props, target), [[]], target);
    plot.current = made;
    const sizes = new ResizeObserver(() => made.setSize({ width: target.clientWidth, height: HEIGHT }));
    sizes.observe(target);
    return () => {
      sizes.disconnect();
      made.destroy();
    };
    // The lines and their format never change in the lifetime of a chart.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  useEffect(() => plot.current?.setData([times, ...lines.map(({ values }) => values)]), [times, lines]);

  const shown = (value: number | null) => (value === null ? '' : format(value));
  return (
    <figure className="holdfast-chart">
      <figcaption>{title}</figcaption>
      <div ref={element} role="img" aria-label={title} />
      <Rows
        label={title}
        rows={lines}
        columns={[
          { title: text('chart.line'), cell: ({ label }) => label },
          { title: text('chart.now'), cell: ({ values }) => shown(last(values)) },
          { title: text('chart.highest'), cell: ({ values }) => shown(values.reduce((a, b) => (b !== null && (a === null || b > a) ? b : a), null)) },
        ]}
        keyOf={({ label }) => label}
      />
    </figure>
  );
}
