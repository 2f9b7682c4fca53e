// The contribution of the example engine to the web page: one tab and one card, without a build step.
import { createElement as h } from 'react';
import { bytesOf, sizeText, useResources } from '@holdfast/page-sdk';

const isInMemory = ({ spec }) => spec.dataEngine === 'example-memory';

function MemoryTab({ resource }) {
  const { spec, status } = resource;
  return h('p', null, `The node ${status.currentNodeID || 'of the replica'} keeps up to ${spec.size} in memory. The data is lost with its process.`);
}

function MemoryCard() {
  const { items } = useResources('volumes');
  const found = (items ?? []).filter(isInMemory);
  const total = found.reduce((sum, { status }) => sum + (bytesOf(status.actualSize) ?? 0), 0);
  return h('p', null, `${found.length} volumes in memory use ${sizeText(total)}.`);
}

export default function contribute(page) {
  page.registerTab({
    id: 'memory',
    kind: 'volumes',
    title: { en: 'Memory', de: 'Speicher' },
    appliesTo: isInMemory,
    component: MemoryTab,
  });
  page.registerCard({ id: 'memory', title: { en: 'Volumes in memory', de: 'Volumes im Speicher' }, component: MemoryCard });
}
