import { createElement as h } from 'react';
import { useResources } from '@holdfast/page-sdk';

function Card() {
  const { items } = useResources('volumes');
  return h('p', null, `${(items ?? []).length} volumes`);
}

export default function contribute(page) {
  page.registerCard({ id: 'count', title: { en: 'Number of volumes', de: 'Anzahl der Volumes' }, component: Card });
  page.registerTab({ id: 'size', kind: 'volumes', title: 'Size of it', component: ({ resource }) => h('p', null, resource.spec.size) });
  page.registerColumn({ id: 'size', kind: 'volumes', title: 'Size again', component: ({ resource }) => resource.spec.size });
  page.registerSettingForm({ id: 'limit', title: 'Limit', settings: ['planted.limit'], component: ({ access }) => h('p', null, access.valueOf('planted.limit') ?? 'default') });
}
