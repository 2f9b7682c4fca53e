// Visits the page as a user does, and reports what it sees to the server of the kit.
(() => {
  const LIMIT_MS = 20_000;
  const ROUTES = { volumes: 'volumes', backingimages: 'images' };
  const visit = { tabs: [], columns: [], cards: [], forms: [], loads: 0 };
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
  const headings = (title) => all('th').filter(({ textContent }) => textContent.trim() === title);
  const cell = (title) => all('td').find(({ dataset }) => dataset.label === title);
  const troubleIn = (element) => all('.pf-m-danger', element).map(({ textContent }) => textContent).join(' ');
  const nameOf = (part, what) => `${what} ${part.id}`;
  const named = (list, what) => list.map((part) => nameOf(part, what));
  const parts = () => [
    ...named(visit.tabs, 'tab'), ...named(visit.columns, 'column'), ...named(visit.cards, 'card'), ...named(visit.forms, 'form'),
  ];

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

  /** Visits the parts of a view that are sections with a title. */
  async function showSections(view, list, what, topic) {
    await goTo(view);
    for (const part of list) {
      const shown = await until(() => section(titleOf(part)));
      const trouble = shown && troubleIn(shown);
      if (trouble) {
        await report('failure', `${nameOf(part, what)}: ${trouble}`);
        continue;
      }
      for (const element of all('section')) {
        if (element.getAttribute('aria-label') === titleOf(part)) {
          await report(topic, nameOf(part, what));
        }
      }
    }
  }

  async function showColumns(topic) {
    for (const column of visit.columns) {
      await goTo(ROUTES[column.kind]);
      const first = await until(() => cell(titleOf(column)));
      const trouble = first ? first.querySelector('.holdfast-failed')?.textContent : `resources() has no ${column.kind}`;
      if (trouble) {
        await report('failure', `${nameOf(column, 'column')}: ${trouble}`);
        continue;
      }
      for (let count = headings(titleOf(column)).length; count > 0; count--) {
        await report(topic, nameOf(column, 'column'));
      }
    }
  }

  async function showAll(topic) {
    await showSections('overview', visit.cards, 'card', topic);
    if (visit.forms.length > 0) {
      await showSections('settings', visit.forms, 'form', topic);
    }
    await showColumns(topic);
    await showTabs(topic);
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

  /** Returns whether a part is still shown after the limit. */
  async function remains(isShown) {
    return !(await until(() => !isShown()));
  }

  async function removal() {
    await goTo('overview');
    await post('remove');
    const left = () => visit.cards.filter((card) => section(titleOf(card)));
    await until(() => left().length === 0);
    for (const card of left()) {
      await report('left', nameOf(card, 'card'));
    }
    for (const column of visit.columns) {
      await goTo(ROUTES[column.kind]);
      if (await remains(() => headings(titleOf(column)).length > 0)) {
        await report('left', nameOf(column, 'column'));
      }
    }
    for (const form of visit.forms) {
      await goTo('settings');
      if (await remains(() => section(titleOf(form)))) {
        await report('left', nameOf(form, 'form'));
      }
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
    await showAll('shown');
    const loads = visit.loads;
    await post('replace');
    await until(() => visit.loads > loads);
    await rowAfter('loading', '');
    await showAll('again');
    await removal();
    await post('withhold');
    await report('hidden', (await rowAfter('loading', '', 'ready')).state);
  }

  addEventListener('load', () => void run().catch((error) => report('failure', `the visit failed: ${error.stack}`)).finally(() => post('done')));
})();
