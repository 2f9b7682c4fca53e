// The page behind a reverse proxy that adds a prefix to its path, against a real node.
// proxy.mjs ADDRESS DIRECTORY HOLDFAST DATA: a one-time address at the proxy, the command of the node, and its data.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { openStory } from './story.mjs';

const ATTEMPTS = 40;

const [oneTimeAddress, directory, holdfast, data] = process.argv.slice(2);
const { page, button, dialog, row, step, goTo, run } = await openStory(oneTimeAddress, directory);
const prefix = new URL(oneTimeAddress).pathname.replace(/page\/$/, '');
const outside = [];
page.on('request', (request) => {
  const { pathname, protocol } = new URL(request.url());
  if (protocol === 'https:' && !pathname.startsWith(prefix)) {
    outside.push(pathname);
  }
});

/** Opens the one-time address; returns the heading of the view to which it leads. */
async function opened() {
  await page.goto('about:blank');
  await page.goto(oneTimeAddress);
  const headings = ['Overview', 'Sign in'].map((name) => page.getByRole('heading', { name, exact: true }));
  const heading = headings[0].or(headings[1]).first();
  await heading.waitFor();
  return heading.textContent();
}

await run(async () => {
  await step('a proxy that is not trusted cannot change the host', async () => {
    assert.equal(await opened(), 'Sign in');
    await page.getByText('only the page of this server signs in').waitFor();
  });

  await step('the address signs in through a trusted proxy', async () => {
    execFileSync(holdfast, ['setting', 'set', 'trusted-proxies', '127.0.0.1', '--data', data]);
    let heading = '';
    for (let attempt = 0; attempt < ATTEMPTS && heading !== 'Overview'; attempt++) {
      heading = await opened();
    }
    assert.equal(heading, 'Overview');
  });

  await step('changes and their stream pass the proxy', async () => {
    await goTo('volumes');
    await button('Create volume').click();
    await dialog().getByLabel('Name').fill('proxied');
    await dialog().getByLabel('Size').fill('16Mi');
    await dialog().getByLabel('Replicas').fill('1');
    await dialog().getByRole('button', { name: 'Create volume' }).click();
    await row('proxied').getByText('detached', { exact: true }).waitFor();
    execFileSync(holdfast, ['volume', 'create', 'streamed', '--size', '16Mi', '--replicas', '1', '--data', data]);
    await row('streamed').waitFor();
  });

  await step('an image is uploaded through the proxy', async () => {
    await goTo('images');
    await button('Create Backing Image').click();
    await dialog().getByLabel('Name').fill('sent');
    await dialog().getByLabel('Source type').selectOption('upload');
    await dialog()
      .getByLabel('File')
      .setInputFiles({ name: 'image.raw', mimeType: 'application/octet-stream', buffer: Buffer.alloc(4 << 20, 7) });
    await dialog().getByRole('button', { name: 'Create Backing Image' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'sent' }).waitFor();
  });

  await step('no request leaves the prefix', async () => {
    assert.deepEqual(outside, []);
  });
});
