// The contribution of the example engine to the web page: a tab, a column, a card and a form, without a build step.
import { createElement as h, useState } from 'react';
import { bytesOf, sizeText, useResource, useResources } from '@holdfast/page-sdk';

const LIMIT = 'example-memory.warn-above';
const DEFAULT_LIMIT = '1Gi';
const isInMemory = ({ spec }) => spec.dataEngine === 'example-memory';

function MemoryTab({ resource }) {
  const { spec, status } = resource;
  return h('p', null, `The node ${status.currentNodeID || 'of the replica'} keeps up to ${spec.size} in memory. The data is lost with its process.`);
}

function MemoryColumn({ resource }) {
  return isInMemory(resource) ? sizeText(bytesOf(resource.status.actualSize) ?? 0) : null;
}

function MemoryCard() {
  const { items } = useResources('volumes');
  const limit = useResource('settings', LIMIT)?.spec.value ?? DEFAULT_LIMIT;
  const found = (items ?? []).filter(isInMemory);
  const total = found.reduce((sum, { status }) => sum + (bytesOf(status.actualSize) ?? 0), 0);
  const warning = total > (bytesOf(limit) ?? Infinity) ? ` This is more than ${limit}.` : '';
  return h('p', null, `${found.length} volumes in memory use ${sizeText(total)}.${warning}`);
}

function LimitForm({ access }) {
  const [entered, setEntered] = useState();
  const [problem, setProblem] = useState('');
  const value = entered ?? access.valueOf(LIMIT) ?? DEFAULT_LIMIT;
  async function save(event) {
    event.preventDefault();
    if (bytesOf(value) === undefined) {
      setProblem(`${value}: not a size: enter a number with a unit such as ${DEFAULT_LIMIT}`);
      return;
    }
    try {
      await access.change(LIMIT, value);
      setProblem('');
      setEntered(undefined);
    } catch (error) {
      setProblem(error.message);
    }
  }
  return h(
    'form',
    { onSubmit: save },
    h('label', null, 'Warn above ', h('input', { value, readOnly: !access.canChange, onChange: ({ target }) => setEntered(target.value) })),
    access.canChange && h('button', { type: 'submit' }, 'Save'),
    h('p', { role: 'alert' }, problem),
  );
}

export default function contribute(page) {
  page.registerTab({
    id: 'memory',
    kind: 'volumes',
    title: { en: 'Memory', de: 'Speicher' },
    appliesTo: isInMemory,
    component: MemoryTab,
  });
  page.registerColumn({ id: 'memory', kind: 'volumes', title: { en: 'In memory', de: 'Im Speicher' }, component: MemoryColumn });
  page.registerCard({ id: 'memory', title: { en: 'Volumes in memory', de: 'Volumes im Speicher' }, component: MemoryCard });
  page.registerSettingForm({
    id: 'limit',
    title: { en: 'Limit of volumes in memory', de: 'Grenze der Volumes im Speicher' },
    settings: [LIMIT],
    component: LimitForm,
  });
}
