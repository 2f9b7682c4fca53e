// Stands in for the entry module, and tells the script of the visit what it registers.
export default async function contribute(page) {
  const { visit } = window;
  const ended = visit.observeLoad();
  const entry = await import('./ENTRY');
  if (typeof entry.default !== 'function') {
    throw new Error('ENTRY has no default function');
  }
  const recording = {
    name: page.name,
    registerTab: (tab) => {
      page.registerTab(tab);
      visit.tabs.push(tab);
    },
    registerCard: (card) => {
      page.registerCard(card);
      visit.cards.push(card);
    },
  };
  visit.tabs = [];
  visit.cards = [];
  await entry.default(recording);
  visit.loads++;
  await ended();
}
