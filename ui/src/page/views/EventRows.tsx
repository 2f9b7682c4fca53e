import { useLive } from '../api/live';
import { ageText } from '../api/quantity';
import type { HoldfastEvent } from '../api/types';
import { useNow } from '../parts/clock';
import { Rows, type Column } from '../parts/Rows';
import { StateLabel } from '../parts/StateLabel';
import { useText } from '../text/text';

interface Props {
  of?: { kind: string; name: string };
  warningsOnly?: boolean;
  filter?: string;
  most?: number;
}

function timeOf({ spec, metadata }: HoldfastEvent): string {
  return spec.lastTimestamp ?? metadata.creationTimestamp ?? '';
}

/** Events, the latest first. */
export function EventRows({ of, warningsOnly = false, filter = '', most = 500 }: Props) {
  const text = useText();
  const now = useNow();
  const { items, error } = useLive('events');
  const rows = items
    ?.filter(({ spec }) => !of || (spec.regarding.kind === of.kind && spec.regarding.name === of.name))
    .filter(({ spec }) => !warningsOnly || spec.type === 'Warning')
    .filter(({ spec }) => spec.regarding.name.includes(filter))
    .sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1))
    .slice(0, most);
  const columns: Column<HoldfastEvent>[] = [
    { title: text('column.age'), cell: (event) => ageText(timeOf(event), now) },
    { title: text('column.type'), cell: ({ spec }) => <StateLabel state={spec.type} /> },
    { title: text('column.object'), cell: ({ spec }) => `${spec.regarding.kind} ${spec.regarding.name}` },
    { title: text('column.reason'), cell: ({ spec }) => spec.reason },
    { title: text('column.message'), cell: ({ spec }) => spec.message },
    { title: text('column.count'), cell: ({ spec }) => spec.count },
  ];
  return <Rows label={text('nav.events')} rows={rows} error={error} columns={columns} keyOf={({ metadata }) => metadata.name} />;
}
