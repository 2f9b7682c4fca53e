// Contributions of bundles, and bundles that are replaced under an open page, against a real node.
// contributions.mjs ADDRESS DIRECTORY HOLDFAST DATA JARS: the command of the node, its data, and the jars of the test.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { openStory } from './story.mjs';

const [oneTimeAddress, directory, holdfast, data, jars] = process.argv.slice(2);
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

/** Replaces an open page's bundle, and expects that the page works on. */
async function replaced(name, replace) {
  await step(`${name} is replaced, the input stays, and no change is missed`, async () => {
    replace();
    const volume = `seen-${name}-${Date.now()}`;
    command('volume', 'create', volume, '--size', '16Mi', '--replicas', '1');
    // By its element, because a dialog hides the rest of the page from assistive technology.
    await page.locator('tr', { hasText: volume }).waitFor();
    await inputIsKept();
  });
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
    await goTo('overview');
    shell(`bundle:update dev.example.loops-at-load file:${jars}/loops-at-load-2.jar`);
    await card('Late').getByText('it was replaced').waitFor();
    await goTo('volumes');
    await button('Create volume').click();
    await dialog().getByLabel('Name').fill('kept');
  });

  await replaced('api-server', () => shell('bundle:restart dev.holdfast.apiserver'));
  await replaced('page', () => shell(`bundle:update dev.holdfast.page file:${jars}/page.jar`));

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
