// A card with the largest volumes, a tab and a column that compare a volume with all others, and a form for their number.
import { createElement as h, useState } from 'react';
import { bytesOf, sizeText, useResource, useResources } from '@holdfast/page-sdk';
import { SETTING, SHOWN } from './options.js';

const sizeOf = ({ spec }) => bytesOf(spec.size) ?? 0;
const total = (volumes) => volumes.reduce((sum, volume) => sum + sizeOf(volume), 0);

function LargestCard() {
  const { items, error } = useResources('volumes');
  const shown = Number(useResource('settings', SETTING)?.spec.value ?? SHOWN);
  if (error) {
    return h('p', null, error.message);
  }
  const largest = [...(items ?? [])].sort((a, b) => sizeOf(b) - sizeOf(a)).slice(0, shown);
  return largest.length === 0
    ? h('p', null, 'No volume exists.')
    : h('ol', null, ...largest.map((volume) => h('li', { key: volume.metadata.name }, `${volume.metadata.name}: ${volume.spec.size}`)));
}

function useShare(resource) {
  const { items } = useResources('volumes');
  const all = total(items ?? []);
  return { all, percent: all === 0 ? 0 : Math.round((100 * sizeOf(resource)) / all) };
}

function ShareTab({ resource }) {
  const { all, percent } = useShare(resource);
  return h('p', null, `${percent} % of ${sizeText(all)} in all volumes.`);
}

function ShareColumn({ resource }) {
  return `${useShare(resource).percent} %`;
}

function NumberForm({ access }) {
  const [entered, setEntered] = useState();
  const [problem, setProblem] = useState('');
  async function save(event) {
    event.preventDefault();
    try {
      await access.change(SETTING, entered);
      setProblem('');
    } catch (error) {
      setProblem(error.message);
    }
  }
  const value = entered ?? access.valueOf(SETTING) ?? SHOWN;
  return h(
    'form',
    { onSubmit: save },
    h('label', null, 'Volumes on the card ', h('input', { type: 'number', min: 1, value, readOnly: !access.canChange, onChange: ({ target }) => setEntered(target.value) })),
    access.canChange && h('button', { type: 'submit' }, 'Save'),
    h('p', { role: 'alert' }, problem),
  );
}

export default function contribute(page) {
  page.registerCard({ id: 'largest', title: { en: 'Largest volumes', de: 'Größte Volumes' }, component: LargestCard });
  page.registerTab({ id: 'share', kind: 'volumes', title: { en: 'Share', de: 'Anteil' }, component: ShareTab });
  page.registerColumn({ id: 'share', kind: 'volumes', title: { en: 'Share', de: 'Anteil' }, component: ShareColumn });
  page.registerSettingForm({ id: 'number', title: { en: 'Number of largest volumes', de: 'Anzahl der größten Volumes' }, settings: [SETTING], component: NumberForm });
}
