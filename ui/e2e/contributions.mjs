// Contributions of bundles, and bundles that are replaced under an open page, against a real node.
// contributions.mjs ADDRESS DIRECTORY HOLDFAST DATA JARS TIMES: the command of the node, its data, the jars of the test, and how
// often each bundle is replaced.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { openStory } from './story.mjs';

const VERSIONS_MS = 60_000;
const [oneTimeAddress, directory, holdfast, data, jars, times] = process.argv.slice(2);
const { browser, page, button, dialog, row, step, goTo, run, expect } = await openStory(oneTimeAddress, directory);

function command(...words) {
  return execFileSync(holdfast, [...words, '--data', data], { encoding: 'utf8' });
}

const shell = (line) => command('shell', line);
const install = (name) => shell(`bundle:install -s file:${jars}/${name}.jar`);
const card = (title) => page.getByRole('region', { name: title, exact: true });

/** The input that no replacement may lose. */
async function inputIsKept() {
  assert.equal(await dialog().getByLabel('Name').inputValue(), 'kept');
  await dialog().getByLabel('Size').fill(`${Math.ceil(Math.random() * 100)}Mi`);
}

/** Creates a volume as soon as the node answers. */
async function create(volume) {
  await page.evaluate(async (name) => {
    const headers = { 'Content-Type': 'application/json', 'X-Holdfast-Page': '1' };
    const spec = { size: '16Mi', numberOfReplicas: 1 };
    const body = JSON.stringify({ apiVersion: 'holdfast.dev/v1', kind: 'Volume', metadata: { name }, spec });
    for (let attempt = 0; attempt < 100; attempt++) {
      const answer = await fetch('../apis/holdfast.dev/v1/volumes', { method: 'POST', headers, body }).catch(() => undefined);
      if (answer?.status === 201) {
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error(`${name} could not be created`);
  }, volume);
}

/** Waits until the list shows every volume in the version that the API has. */
async function versionsAgree() {
  const shown = () =>
    page.locator('tr', { has: page.locator('td[data-label="Version"]') }).evaluateAll((rows) =>
      rows.map((each) => ['Name', 'Version'].map((label) => each.querySelector(`td[data-label="${label}"]`).textContent).join(' ')).sort(),
    );
  const stored = () =>
    page.evaluate(async () => {
      const { items } = await (await fetch('../apis/holdfast.dev/v1/volumes')).json();
      return items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
    });
  const end = Date.now() + VERSIONS_MS;
  for (;;) {
    const [seen, wanted] = [await shown(), await stored()];
    if (seen.length > 0 && seen.join() === wanted.join()) {
      return;
    }
    if (Date.now() > end) {
      assert.deepEqual(seen, wanted);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Replaces a bundle under the open page, and expects that the page works on. */
async function replaced(name, round, replace) {
  await step(`${name} is replaced (${round}), the input stays, and no change is missed`, async () => {
    await replace();
    const volume = `seen-${name}-${round}`;
    await create(volume);
    // By its element, because a dialog hides the rest of the page from assistive technology.
    await page.locator('tr', { hasText: volume }).waitFor();
    await versionsAgree();
    await inputIsKept();
  });
}

const loads = [];
page.on('request', (request) => {
  if (new URL(request.url()).pathname.includes('/plugins/loops-at-load/')) {
    loads.push(request.url());
  }
});

/** Updates the contribution, and waits until the page asks for the script of the new revision. */
async function updateContribution(round) {
  const before = loads.length;
  shell(`bundle:update dev.example.loops-at-load file:${jars}/loops-at-load-${2 + (round % 2)}.jar`);
  await page.waitForRequest(() => loads.length > before);
}

await run(async () => {
  // A replaced API server refuses connections for a moment, and a replaced page bundle has no path.
  expect(/Error: planted/);
  expect(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_CONNECTION_CLOSED|ERR_HTTP2|status of (404|500|503)/);

  await step('the engine of the example contributes a card and a tab', async () => {
    await page.goto(oneTimeAddress);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    shell('feature:install holdfast-engine-example-memory');
    command('volume', 'create', 'inmemory', '--size', '64Mi', '--replicas', '1', '--engine', 'example-memory');
    await card('Volumes in memory').getByText('1 volumes in memory use').waitFor();
    await goTo('volumes/inmemory');
    await page.getByRole('tab', { name: 'Memory' }).click();
    await page.getByText('keeps up to 64Mi in memory').waitFor();
  });

  await step('it also contributes a column and a form of its setting', async () => {
    await goTo('volumes');
    await row('inmemory').locator('td[data-label="In memory"]').getByText(/^\d/).waitFor();
    await goTo('settings');
    const form = card('Limit of volumes in memory');
    await form.getByLabel('Warn above').fill('much');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('much: not a size').waitFor();
    await form.getByLabel('Warn above').fill('2Mi');
    await form.getByRole('button', { name: 'Save' }).click();
    await row('example-memory.warn-above').getByText('2Mi').waitFor();
  });

  await step('a script that throws, and one that throws when it is shown, leave the rest usable', async () => {
    install('throws-at-load');
    install('throws-when-shown');
    await goTo('overview');
    await card('Broken').getByText('The contribution throws-when-shown of dev.example.throws-when-shown failed: planted').waitFor();
    await card('Volumes in memory').waitFor();
    await goTo('plugins');
    await row('throws-at-load').getByText('planted').waitFor();
  });

  await step('a script that loops for 5 s at load leaves the rest usable', async () => {
    install('loops-at-load');
    await row('loops-at-load').getByText('ready', { exact: true }).waitFor();
    await goTo('overview');
    await card('Late').getByText('it has loaded').waitFor();
  });

  await step('a script for a kind that the user may not read is not loaded', async () => {
    install('reads-tokens');
    await goTo('plugins');
    await row('reads-tokens').getByText('ready', { exact: true }).waitFor();
    const token = /hf_[A-Za-z0-9_-]+/.exec(command('token', 'create', 'reader', '--role', 'view'))[0];
    const other = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-US' });
    const reader = await other.newPage();
    const asked = [];
    reader.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await reader.goto(oneTimeAddress.replace(/#.*/, ''));
    await reader.getByLabel('Token').fill(token);
    await reader.getByRole('button', { name: 'Sign in' }).click();
    await reader.getByRole('link', { name: 'Plugins' }).click();
    const refused = reader.getByRole('row').filter({ hasText: 'reads-tokens' });
    await refused.getByText('You may not read: accesstokens').waitFor();
    assert.ok(asked.some((path) => path.includes('/plugins/example-memory/')));
    assert.ok(!asked.some((path) => path.includes('/plugins/reads-tokens/')));
    await other.close();
  });

  await step('a contribution is replaced under an open form', async () => {
    // Its column tells the version of each volume that the page has.
    install('shows-versions');
    await goTo('overview');
    shell(`bundle:update dev.example.loops-at-load file:${jars}/loops-at-load-2.jar`);
    await card('Late').getByText('it was replaced').waitFor();
    await goTo('volumes');
    await button('Create volume').click();
    await dialog().getByLabel('Name').fill('kept');
  });

  for (let round = 1; round <= Number(times); round++) {
    await replaced('contribution', round, () => updateContribution(round));
    await replaced('api-server', round, () => shell('bundle:restart dev.holdfast.apiserver'));
    // The last one has another version than the open page.
    const jar = (times - round) % 2 === 0 ? 'page' : 'page-as-opened';
    await replaced('page', round, () => shell(`bundle:update dev.holdfast.page file:${jars}/${jar}.jar`));
  }

  await step('the page offers a reload, and loads the other version then', async () => {
    await page.getByText('The node serves another version of this page.').waitFor();
    await inputIsKept();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await button('Reload').click();
    await page.waitForFunction(() => document.querySelector('meta[name="holdfast-page"]')?.content === 'another');
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(await page.getByText('The node serves another version of this page.').count(), 0);
  });

  await step('contributions leave with their bundles without a reload', async () => {
    await goTo('overview');
    await card('Broken').waitFor();
    shell('bundle:uninstall dev.example.throws-when-shown');
    await card('Broken').waitFor({ state: 'detached' });
    await card('Late').filter({ hasText: 'it was replaced' }).waitFor();
  });
});
