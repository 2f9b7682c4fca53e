// Visits the page as a user does, and reports what it sees to the server of the kit.
(() => {
  const LIMIT_MS = 20_000;
  const ROUTES = { volumes: 'volumes', backingimages: 'images' };
  const visit = { tabs: [], cards: [], loads: 0 };
  window.visit = visit;

  const post = (step, body = '') => fetch(`kit/${step}`, { method: 'POST', body });
  const report = (topic, value) => post('line', `${topic}\t${String(value).replaceAll('\n', ' ')}`);
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => void report('violation', `${violatedDirective} ${blockedURI}`));

  // Reports how long the browser was busy at a time until the returned function has ended.
  visit.observeLoad = () => {
    const longest = (entries) => entries.forEach(({ duration }) => void report('busy', Math.round(duration)));
    const observer = new PerformanceObserver((list) => longest(list.getEntries()));
    observer.observe({ type: 'longtask' });
    return async () => {
      // The entry of a task is made after the task.
      await new Promise((resolve) => setTimeout(resolve));
      longest(observer.takeRecords());
      observer.disconnect();
    };
  };

  /** Waits until a function returns a value; undefined after the limit. */
  async function until(find) {
    const end = performance.now() + LIMIT_MS;
    for (;;) {
      const found = find();
      if (found || performance.now() > end) {
        return found || undefined;
      }
      await new Promise((resolve) => {
        const timer = setTimeout(ended, 200);
        const observer = new MutationObserver(ended);
        function ended() {
          clearTimeout(timer);
          observer.disconnect();
          resolve();
        }
        observer.observe(document, { subtree: true, childList: true, characterData: true });
      });
    }
  }

  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const titleOf = ({ title }) => (typeof title === 'string' ? title : title.en);
  const section = (title) => all('section').find((element) => element.getAttribute('aria-label') === title);
  const tab = (title) => all('[role="tab"]').find((element) => element.textContent.trim() === title);
  const troubleIn = (element) => all('.pf-m-danger', element).map(({ textContent }) => textContent).join(' ');
  const nameOf = (part, what) => `${what} ${part.id}`;
  const parts = () => [...visit.tabs.map((part) => nameOf(part, 'tab')), ...visit.cards.map((part) => nameOf(part, 'card'))];

  async function goTo(view) {
    location.hash = `#/${view}`;
    await until(() => document.querySelector('h1') && !document.querySelector('[aria-label="Loading"]'));
  }

  /** Waits until the row of the contribution has another state than one of these; returns the row. */
  async function rowAfter(...states) {
    await goTo('plugins');
    const { name } = await until(() => visit.listing);
    const stateOf = (row) => row.querySelector('td:nth-child(4)')?.textContent.trim();
    const row = await until(() => all('tr').find((each) => each.querySelector('td')?.textContent.trim() === name && !states.includes(stateOf(each))));
    return { state: row ? stateOf(row) : 'absent', message: row?.querySelector('td:nth-child(5)')?.textContent ?? '' };
  }

  async function showCards(topic) {
    await goTo('overview');
    for (const card of visit.cards) {
      const shown = await until(() => section(titleOf(card)));
      const trouble = shown && troubleIn(shown);
      if (trouble) {
        await report('failure', `${nameOf(card, 'card')}: ${trouble}`);
      }
      for (const element of all('section').filter((each) => each.getAttribute('aria-label') === titleOf(card))) {
        if (element && !trouble) {
          await report(topic, nameOf(card, 'card'));
        }
      }
    }
  }

  async function showTabs(topic) {
    for (const each of visit.tabs) {
      const { items } = await (await fetch(`../apis/holdfast.dev/v1/${each.kind}`)).json();
      const resource = items.find((item) => {
        try {
          return each.appliesTo ? each.appliesTo(item) : true;
        } catch {
          return true;
        }
      });
      if (!resource) {
        await report('failure', `${nameOf(each, 'tab')}: appliesTo accepts no resource of resources()`);
        continue;
      }
      await goTo(`${ROUTES[each.kind]}/${resource.metadata.name}`);
      const shown = await until(() => tab(titleOf(each)));
      shown?.click();
      const panel = shown && (await until(() => document.getElementById(shown.getAttribute('aria-controls') ?? '')));
      await until(() => panel && panel.textContent.trim() !== '');
      const trouble = panel && troubleIn(panel);
      if (trouble) {
        await report('failure', `${nameOf(each, 'tab')}: ${trouble}`);
      } else if (panel) {
        await report(topic, nameOf(each, 'tab'));
      }
    }
  }

  async function removal() {
    await goTo('overview');
    await post('remove');
    const left = () => visit.cards.filter((card) => section(titleOf(card)));
    await until(() => left().length === 0);
    for (const card of left()) {
      await report('left', nameOf(card, 'card'));
    }
    await goTo('plugins');
    await until(() => !all('td').some(({ textContent }) => textContent.trim() === visit.listing.name));
    await report('removed', 'yes');
  }

  async function run() {
    visit.listing = (await (await fetch('v1/state')).json()).contributions[0];
    const { state, message } = await rowAfter('loading', '');
    await report('state', state);
    await report('message', message);
    if (state !== 'ready') {
      return;
    }
    for (const part of parts()) {
      await report('part', part);
    }
    await showCards('shown');
    await showTabs('shown');
    const loads = visit.loads;
    await post('replace');
    await until(() => visit.loads > loads);
    await rowAfter('loading', '');
    await showCards('again');
    await showTabs('again');
    await removal();
    await post('withhold');
    await report('hidden', (await rowAfter('loading', '', 'ready')).state);
  }

  addEventListener('load', () => void run().catch((error) => report('failure', `the visit failed: ${error.stack}`)).finally(() => post('done')));
})();
