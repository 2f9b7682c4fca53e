import { createElement as h } from 'react';

const end = performance.now() + 5000;
while (performance.now() < end) {
  // loops
}

function Failing() {
  throw new Error('planted');
}

/** Adds a part to the page beside those that it registers, with an inline style sheet. */
function remain() {
  const style = document.createElement('style');
  style.textContent = 'p { color: red }';
  document.head.append(style);
  const section = document.createElement('section');
  section.setAttribute('aria-label', 'Remains');
  document.body.append(section);
}

export default function contribute(page) {
  remain();
  page.registerCard({ id: 'failing', title: 'Failing', component: Failing });
  page.registerCard({ id: 'remains', title: 'Remains', component: () => h('p', null, 'shown') });
  page.registerColumn({ id: 'failing', kind: 'volumes', title: 'Failing', component: Failing });
  page.registerSettingForm({ id: 'other', title: 'Other', settings: ['planted.limit'], component: ({ access }) => access.valueOf('node-drain-policy') });
  page.registerTab({ id: 'never', kind: 'volumes', title: 'Never', appliesTo: () => false, component: () => null });
}
