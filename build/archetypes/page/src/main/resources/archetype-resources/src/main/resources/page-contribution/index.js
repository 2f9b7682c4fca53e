// A card with the largest volumes, and a tab that compares a volume with all others.
import { createElement as h } from 'react';
import { bytesOf, sizeText, useResources } from '@holdfast/page-sdk';
import { SHOWN } from './options.js';

const sizeOf = ({ spec }) => bytesOf(spec.size) ?? 0;
const total = (volumes) => volumes.reduce((sum, volume) => sum + sizeOf(volume), 0);

function LargestCard() {
  const { items, error } = useResources('volumes');
  if (error) {
    return h('p', null, error.message);
  }
  const largest = [...(items ?? [])].sort((a, b) => sizeOf(b) - sizeOf(a)).slice(0, SHOWN);
  return largest.length === 0
    ? h('p', null, 'No volume exists.')
    : h('ol', null, ...largest.map((volume) => h('li', { key: volume.metadata.name }, `${volume.metadata.name}: ${volume.spec.size}`)));
}

function ShareTab({ resource }) {
  const { items } = useResources('volumes');
  const all = total(items ?? []);
  const percent = all === 0 ? 0 : Math.round((100 * sizeOf(resource)) / all);
  return h('p', null, `${percent} % of ${sizeText(all)} in all volumes.`);
}

export default function contribute(page) {
  page.registerCard({ id: 'largest', title: { en: 'Largest volumes', de: 'Größte Volumes' }, component: LargestCard });
  page.registerTab({ id: 'share', kind: 'volumes', title: { en: 'Share', de: 'Anteil' }, component: ShareTab });
}
