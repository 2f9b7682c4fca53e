// Stands in for the entry module, and tells the script of the visit what it registers.
export default async function contribute(page) {
  const { visit } = window;
  const ended = visit.observeLoad();
  const entry = await import('./ENTRY');
  if (typeof entry.default !== 'function') {
    throw new Error('ENTRY has no default function');
  }
  const kept = { registerTab: 'tabs', registerColumn: 'columns', registerCard: 'cards', registerSettingForm: 'forms' };
  const recording = { name: page.name };
  for (const [register, parts] of Object.entries(kept)) {
    visit[parts] = [];
    recording[register] = (part) => {
      page[register](part);
      visit[parts].push(part);
    };
  }
  await entry.default(recording);
  visit.loads++;
  await ended();
}
