// The story of a user in Debian's Chromium against a real node.
// page.mjs ADDRESS DIRECTORY BACKUPS HOLDFAST DATA: the one-time address, where pictures of failures go, a folder for backups,
// the command, and the data directory of its node.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import AxeBuilder from '@axe-core/playwright';
import { expectLines, expectRefusals, recordWrites } from './replay.mjs';
import { openStory } from './story.mjs';

const [oneTimeAddress, directory, backups, holdfast, data] = process.argv.slice(2);
const MARKUP = '<img src=x onerror=alert(1)>';
const VIEWS = ['overview', 'volumes', 'volumes/story', 'nodes', 'backups', 'systembackups', 'jobs', 'images', 'events', 'upgrades', 'plugins', 'access', 'settings'];
// Kept for docs/screens.
const SCREENS = ['overview', 'volumes', 'nodes', 'upgrades', 'access'];
const REBUILD_MS = 120_000;
// The kinds that the steps below change.
const CHANGED = ['accesstokens', 'backingimages', 'backups', 'backuptargets', 'deletedvolumes', 'nodes', 'snapshots', 'volumeattachments', 'volumes'];
const CHANGES = /^(Create|Add|Attach|Detach|Grow|Edit|Delete|Deletion|Undelete|Revert|Restore)\b/;

const { browser, context, page, button, dialog, row, signInByToken, step, goTo, chooseAction, becomes, screen, run } = await openStory(oneTimeAddress, directory);

const writes = recordWrites(context);

async function seriousFindings(what) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${what}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

await run(async () => {
  await step('the one-time address signs in and leaves the address bar', async () => {
    await page.goto(oneTimeAddress);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.equal(new URL(page.url()).hash, '');
    const cookies = await context.cookies();
    const cookie = cookies.find(({ name }) => name === '__Host-holdfast');
    assert.ok(cookie?.httpOnly && cookie.secure && cookie.sameSite === 'Strict');
    assert.equal(await page.evaluate(() => document.cookie), '');
  });

  await step('the one-time address does not sign in twice', async () => {
    const second = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-US' });
    const other = await second.newPage();
    await other.goto(oneTimeAddress);
    await other.getByText('this one-time address was used').waitFor();
    const answer = await other.evaluate(async () => (await fetch('../apis/holdfast.dev/v1/volumes')).status);
    assert.equal(answer, 401);
    await second.close();
  });

  await step('a wrong size is refused at its field and the input stays', async () => {
    await goTo('volumes');
    await button('Create volume').click();
    await dialog().getByLabel('Name').fill('story');
    await dialog().getByLabel('Size').fill('1000');
    await dialog().getByLabel('Replicas').fill('2');
    await dialog().getByRole('button', { name: 'Create volume' }).click();
    await dialog().locator('[id$="-problem"]').waitFor();
    assert.equal(await dialog().getByLabel('Name').inputValue(), 'story');
  });

  await step('a volume is created and its row becomes detached without a reload', async () => {
    await dialog().getByLabel('Size').fill('64Mi');
    await dialog().getByRole('button', { name: 'Create volume' }).click();
    await dialog().waitFor({ state: 'detached' });
    await row('story').getByText('detached', { exact: true }).waitFor();
  });

  await step('a volume is attached and the row tells why', async () => {
    await chooseAction('story', 'Attach');
    await dialog().getByRole('button', { name: 'Attach' }).click();
    await row('story').getByText('Attached to node-1; api asks for it there.').waitFor();
  });

  await step('what clients do with an attached volume is drawn', async () => {
    await row('story').getByRole('link', { name: 'story' }).click();
    await page.getByRole('img', { name: 'Requests' }).locator('canvas').waitFor();
    await page.getByRole('grid', { name: 'Throughput' }).getByText('0/s').first().waitFor();
  });

  await step('a snapshot is created and shown', async () => {
    await button('Create snapshot').click();
    await dialog().getByLabel('Name of the snapshot').fill('first');
    await dialog().getByRole('button', { name: 'Create snapshot' }).click();
    await row('first').getByText('ready', { exact: true }).waitFor();
  });

  await step('a volume grows', async () => {
    await button('Grow').click();
    await dialog().getByLabel('New size').fill('128Mi');
    await dialog().getByRole('button', { name: 'Grow' }).click();
    await page.getByText('128Mi', { exact: true }).waitFor();
  });

  await screen('volume');

  await step('a revert of an attached volume is refused with the remedy', async () => {
    await chooseAction('first', 'Revert');
    await dialog().getByRole('button', { name: 'Revert' }).click();
    await dialog().getByText('The volume is attached: detach it').waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
  });

  await step('a detached volume is reverted', async () => {
    await button('Detach').click();
    await dialog().getByRole('button', { name: 'Detach' }).click();
    await page.getByText('Detached, because no ticket asks for it.').waitFor();
    await chooseAction('first', 'Revert');
    await dialog().getByRole('button', { name: 'Revert' }).click();
    await dialog().waitFor({ state: 'detached' });
  });

  await step('a second session changes the volume first, and both values are shown', async () => {
    await goTo('access');
    await button('Create token').click();
    await dialog().getByLabel('Name').fill('second');
    await dialog().getByLabel('Role').selectOption('admin');
    await dialog().getByRole('button', { name: 'Create token' }).click();
    const token = await dialog().getByRole('textbox', { name: 'Token' }).inputValue();
    await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();
    await goTo('volumes/story');
    await button('Grow').click();
    await dialog().getByLabel('New size').fill('256Mi');

    const other = await signInByToken(token, 'volumes/story');
    await other.getByRole('button', { name: 'Grow', exact: true }).click();
    await other.getByRole('dialog').getByLabel('New size').fill('192Mi');
    await other.getByRole('dialog').getByRole('button', { name: 'Grow' }).click();
    await other.getByText('192Mi', { exact: true }).waitFor();

    await dialog().getByRole('button', { name: 'Grow' }).click();
    await dialog().getByText('It is now 192Mi; you entered 256Mi.').waitFor();
    await dialog().getByRole('button', { name: 'Grow' }).click();
    await dialog().waitFor({ state: 'detached' });
    await other.getByText('256Mi', { exact: true }).waitFor();
    await other.context().close();
  });

  await step('several volumes are attached, detached and deleted at once', async () => {
    const statuses = await page.evaluate(async () => {
      const headers = { 'Content-Type': 'application/json', 'X-Holdfast-Page': '1' };
      const answers = ['many-1', 'many-2'].map((name) => {
        const spec = { size: '16Mi', numberOfReplicas: 1 };
        const body = JSON.stringify({ apiVersion: 'holdfast.dev/v1', kind: 'Volume', metadata: { name }, spec });
        return fetch('../apis/holdfast.dev/v1/volumes', { method: 'POST', headers, body });
      });
      return (await Promise.all(answers)).map(({ status }) => status);
    });
    assert.deepEqual(statuses, [201, 201]);
    await goTo('volumes');
    for (const [state, does, typed] of [['detached', 'Attach'], ['attached', 'Detach'], ['detached', 'Delete', '2']]) {
      for (const name of ['many-1', 'many-2']) {
        await row(name).getByText(state, { exact: true }).waitFor();
        await page.getByRole('checkbox', { name: `Select ${name}` }).check();
      }
      await button(`${does} selected`).click();
      if (typed) {
        await dialog().getByRole('textbox').fill(typed);
      }
      await dialog().getByRole('button', { name: does }).click();
      await dialog().waitFor({ state: 'detached' });
    }
    await row('many-1').waitFor({ state: 'detached' });
    await row('many-2').waitFor({ state: 'detached' });
  });

  const findings = [];
  for (const view of VIEWS) {
    await step(`the view ${view} has no serious finding of axe`, async () => {
      await goTo(view);
      findings.push(...(await seriousFindings(view)));
    });
    if (SCREENS.includes(view)) {
      await screen(view);
    }
  }
  await step('the dark theme has no serious finding of axe', async () => {
    await goTo('volumes/story');
    await page.getByText('Dark', { exact: true }).click();
    findings.push(...(await seriousFindings('dark')));
  });
  assert.deepEqual(findings, []);

  await step('a narrow window shows the view without a cut', async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await goTo('volumes');
    await row('story').first().waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `the page is ${width} wide`);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  await step('the texts change to German and back', async () => {
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
    await page.getByRole('heading', { name: 'Volumes' }).waitFor();
    await button('Volume anlegen').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
    await page.getByRole('combobox', { name: 'Sprache' }).selectOption('en');
  });

  await step('a form keeps its input while the connection is cut, and a banner tells it', async () => {
    await button('Create volume').click();
    await dialog().getByLabel('Name').fill('kept');
    await context.setOffline(true);
    await page.getByText('The connection to the node is cut.').waitFor();
    await context.setOffline(false);
    await page.getByText('The connection to the node is cut.').waitFor({ state: 'detached' });
    assert.equal(await dialog().getByLabel('Name').inputValue(), 'kept');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
  });

  await step('a node is cordoned and uncordoned', async () => {
    await goTo('nodes');
    await chooseAction('node-1', 'Cordon');
    await dialog().getByRole('button', { name: 'Cordon' }).click();
    await page.getByRole('row').filter({ hasText: 'node-1' }).getByText('disabled').waitFor();
    await chooseAction('node-1', 'Uncordon');
    await dialog().getByRole('button', { name: 'Uncordon' }).click();
    await page.getByRole('row').filter({ hasText: 'node-1' }).getByText('enabled').waitFor();
  });

  await step('a plan of an upgrade that cannot be read is refused with the reason', async () => {
    await goTo('upgrades');
    await chooseAction('node-1', 'Plan');
    await dialog().getByLabel('Release or bundle').fill('/absent.tar.gz');
    await dialog().getByRole('button', { name: 'Plan' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'node-1: /absent.tar.gz' }).getByText('REFUSED').waitFor();
  });

  await step('an image is uploaded and shown', async () => {
    await goTo('images');
    await button('Create Backing Image').click();
    await dialog().getByLabel('Name').fill('sent');
    await dialog().getByLabel('Source type').selectOption('upload');
    await dialog()
      .getByLabel('File')
      .setInputFiles({ name: 'image.raw', mimeType: 'application/octet-stream', buffer: Buffer.alloc(1 << 20, 7) });
    await dialog().getByRole('button', { name: 'Create Backing Image' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'sent' }).click();
    await page.getByText('Current SHA512 Checksum').waitFor();
    await page.getByText('ready', { exact: true }).waitFor();
  });

  await step('an image that a replica uses cannot be deleted', async () => {
    await goTo('volumes');
    await button('Create volume').click();
    await dialog().getByLabel('Name').fill('based');
    await dialog().getByLabel('Size').fill('16Mi');
    await dialog().getByLabel('Replicas').fill('2');
    await dialog().getByLabel('Backing image').selectOption('sent');
    await dialog().getByRole('button', { name: 'Create volume' }).click();
    await row('based').getByText('detached', { exact: true }).waitFor();
    await goTo('images');
    await page.getByRole('button', { name: 'Actions of sent' }).click();
    await page.getByRole('menuitem', { name: /^Delete\s*A replica uses this image/ }).waitFor();
    await page.keyboard.press('Escape');
  });

  await step('a volume is backed up, and the image below it is told', async () => {
    const code = await page.evaluate(async (url) => {
      const headers = { 'Content-Type': 'application/json', 'X-Holdfast-Page': '1' };
      const target = { apiVersion: 'holdfast.dev/v1', kind: 'BackupTarget', metadata: { name: 'default' }, spec: { backupTargetURL: url } };
      return (await fetch('../apis/holdfast.dev/v1/backuptargets', { method: 'POST', headers, body: JSON.stringify(target) })).status;
    }, `file://${backups}`);
    assert.equal(code, 201);
    await goTo('backups');
    await button('Create backup').click();
    await dialog().getByLabel('Name of the backup').fill('first');
    await dialog().getByLabel('Volume').selectOption('based');
    await dialog().getByRole('button', { name: 'Create backup' }).click();
    await row('first').getByText('Completed', { exact: true }).waitFor();
    await chooseAction('based', /^Backing Image Info/);
    await dialog().getByText('sent', { exact: true }).waitFor();
    await dialog().getByText(/^[0-9a-f]{128}$/).waitFor();
    await dialog().getByRole('button', { name: 'Close' }).last().click();
  });

  await step('a backup is restored on its previous image', async () => {
    await chooseAction('first', /^Restore/);
    assert.ok(await dialog().getByLabel('Use previous backing image (sent)').isChecked());
    await dialog().getByLabel('Name').first().fill('restored');
    await dialog().getByRole('button', { name: 'Restore' }).click();
    await dialog().waitFor({ state: 'detached' });
    await goTo('volumes/restored');
    await page.getByRole('definition').getByText('sent', { exact: true }).waitFor();
    await goTo('volumes');
    await row('restored').getByText('detached', { exact: true }).waitFor({ timeout: REBUILD_MS });
    for (const name of ['based', 'restored']) {
      await chooseAction(name, 'Delete');
      await dialog().getByLabel(`Type ${name} to confirm`).fill(name);
      await dialog().getByRole('button', { name: 'Delete' }).click();
      await row(name).waitFor({ state: 'detached' });
    }
  });

  await step('the last copy of an image stays when it is cleaned up, and the image is deleted', async () => {
    // Replicas end after their volume is gone from the list, and a copy that a replica uses is kept.
    await becomes('no replica of the deleted volumes exists', async () => {
      const { items } = await (await fetch('../apis/holdfast.dev/v1/replicas')).json();
      return items.every(({ spec }) => spec.volume === 'story');
    }, REBUILD_MS);
    await goTo('images');
    await chooseAction('sent', 'Clean Up');
    for (const disk of await dialog().getByRole('checkbox').all()) {
      await disk.check();
    }
    await dialog().getByRole('button', { name: 'Clean Up' }).click();
    await dialog().getByText('removed', { exact: true }).first().waitFor();
    await dialog().getByText('waits: the last copies stay').waitFor();
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('checkbox', { name: 'Select sent' }).check();
    await button('Deletion').click();
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await row('sent').waitFor({ state: 'detached' });
  });

  await step('a disk is drained: its replica moves to another disk, and then it is used again', async () => {
    await goTo('nodes');
    const disk = await page.evaluate(async () => {
      const volume = await (await fetch('../apis/holdfast.dev/v1/volumes/story')).json();
      return volume.status.replicas[0].diskID;
    });
    const disks = page.getByRole('grid', { name: 'Disks of node-1' });
    const drained = disks.locator('tr', { has: page.locator('td[data-label="Disk"]', { hasText: new RegExp(`^${disk}$`) }) });
    await chooseAction(disk, 'Drain');
    await dialog().getByRole('button', { name: 'Drain' }).click();
    await drained.getByText('draining: 0 replicas left').waitFor({ timeout: REBUILD_MS });
    await chooseAction(disk, 'End drain');
    await dialog().getByRole('button', { name: 'End drain' }).click();
    await chooseAction(disk, 'Uncordon');
    await dialog().getByRole('button', { name: 'Uncordon' }).click();
    await drained.getByText('enabled').waitFor();
  });

  await step('a token is made, shown once, and admits with its rights', async () => {
    await goTo('access');
    await button('Create token').click();
    await dialog().getByLabel('Name').fill('reader');
    await dialog().getByLabel('Description').fill(MARKUP);
    await dialog().getByRole('button', { name: 'Create token' }).click();
    const token = await dialog().getByRole('textbox', { name: 'Token' }).inputValue();
    assert.match(token, /^hf_[A-Za-z0-9_-]{43}[0-9a-f]{8}$/);
    await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();
    const codes = await page.evaluate(async (bearer) => {
      const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' };
      const read = await fetch('../apis/holdfast.dev/v1/volumes', { headers, credentials: 'omit' });
      const body = JSON.stringify({ apiVersion: 'holdfast.dev/v1', kind: 'Setting', metadata: { name: 'x' }, spec: { value: '1' } });
      const write = await fetch('../apis/holdfast.dev/v1/settings', { method: 'POST', headers, body, credentials: 'omit' });
      return [read.status, write.status];
    }, token);
    assert.deepEqual(codes, [200, 403]);
  });

  await step('markup in a text of a user stays text, and the token is removed', async () => {
    await row('reader').getByText(MARKUP).waitFor();
    assert.equal(await page.locator('img[src="x"]').count(), 0);
    await chooseAction('reader', 'Remove');
    await dialog().getByLabel('Type reader to confirm').fill('reader');
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await row('reader').waitFor({ state: 'detached' });
  });

  await step('YAML is checked, shown as changed fields, and saved', async () => {
    await goTo('volumes/story');
    await button('YAML').click();
    await button('Edit').click();
    const field = dialog().getByLabel('YAML');
    const yaml = await field.inputValue();
    await field.fill(yaml.replace(/numberOfReplicas: \d+/, 'numberOfReplicas: 0'));
    await dialog().getByRole('button', { name: 'Check' }).click();
    await dialog().getByText('spec.numberOfReplicas').first().waitFor();
    await field.fill(yaml.replace(/numberOfReplicas: \d+/, 'numberOfReplicas: 1'));
    await dialog().getByRole('button', { name: 'Check' }).click();
    await dialog().getByRole('row').filter({ hasText: 'spec.numberOfReplicas' }).waitFor();
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'YAML' }).getByText('numberOfReplicas: 1').waitFor();
  });

  await step('a change by another client is shown with both values', async () => {
    await button('Edit').click();
    const field = dialog().getByLabel('YAML');
    await field.fill((await field.inputValue()).replace('numberOfReplicas: 1', 'numberOfReplicas: 3'));
    const code = await page.evaluate(async () => {
      const headers = { 'Content-Type': 'application/merge-patch+json', 'X-Holdfast-Page': '1' };
      const body = JSON.stringify({ spec: { numberOfReplicas: 2 } });
      return (await fetch('../apis/holdfast.dev/v1/volumes/story', { method: 'PATCH', headers, body })).status;
    });
    assert.equal(code, 200);
    await dialog().getByRole('button', { name: 'Check' }).click();
    await dialog().getByText('It is now 2; you entered 3.').waitFor();
    await dialog().getByRole('button', { name: 'Check' }).click();
    await dialog().getByRole('row').filter({ hasText: 'spec.numberOfReplicas' }).waitFor();
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'YAML' }).getByText('numberOfReplicas: 3').waitFor();
  });

  await step('a deletion is taken back, and the content of a deleted volume is removed', async () => {
    const code = await page.evaluate(async () => {
      const headers = { 'Content-Type': 'application/json', 'X-Holdfast-Page': '1' };
      const spec = { size: '16Mi', numberOfReplicas: 1, deletionGrace: '2h' };
      const body = JSON.stringify({ apiVersion: 'holdfast.dev/v1', kind: 'Volume', metadata: { name: 'graced' }, spec });
      return (await fetch('../apis/holdfast.dev/v1/volumes', { method: 'POST', headers, body })).status;
    });
    assert.equal(code, 201);
    await goTo('volumes');
    const present = page.getByRole('grid', { name: 'Volumes', exact: true }).getByRole('row').filter({ hasText: 'graced' });
    const deleted = page.getByRole('grid', { name: 'Deleted volumes' }).getByRole('row').filter({ hasText: 'graced' });
    // Both lists may show the volume until they have the same state of the store.
    const choose = async (line, action) => {
      await line.getByRole('button', { name: 'Actions of graced' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    const deleteIt = async () => {
      await present.getByText('detached', { exact: true }).waitFor();
      await choose(present, 'Delete');
      await dialog().getByText('The content is kept for 2h.').waitFor();
      await dialog().getByLabel('Type graced to confirm').fill('graced');
      await dialog().getByRole('button', { name: 'Delete' }).click();
      await deleted.getByText('kept', { exact: true }).waitFor();
      await present.waitFor({ state: 'detached' });
    };
    await deleteIt();
    assert.deepEqual(await seriousFindings('deleted volumes'), []);
    await choose(deleted, 'Undelete');
    await dialog().getByRole('button', { name: 'Undelete' }).click();
    await deleted.waitFor({ state: 'detached' });
    await deleteIt();
    await goTo('overview');
    await page.getByText(/^The content of graced is removed next, in (119m|2h)\.$/).waitFor();
    await page.getByText(/1 deleted volume\. The kept content uses \d\S* on all disks\./).waitFor();
    assert.deepEqual(await seriousFindings('overview with a deleted volume'), []);
    await goTo('volumes');
    await deleted.getByRole('checkbox', { name: 'Select graced' }).check();
    await button('Undelete selected').click();
    await dialog().getByRole('button', { name: 'Undelete' }).click();
    await deleted.waitFor({ state: 'detached' });
    await deleteIt();
    await choose(deleted, 'Delete permanently');
    await dialog().getByLabel('Type graced to confirm').fill('graced');
    await dialog().getByRole('button', { name: 'Delete permanently' }).click();
    await deleted.waitFor({ state: 'detached' });
    // The row leaves when the removal begins.
    await becomes('no deleted volume is left', async () => {
      const { items } = await (await fetch('../apis/holdfast.dev/v1/deletedvolumes')).json();
      return items.length === 0;
    });
  });

  await step('a volume is deleted after its name is typed', async () => {
    await goTo('volumes');
    await chooseAction('story', 'Delete');
    assert.ok(await dialog().getByRole('button', { name: 'Delete' }).isDisabled());
    await dialog().getByLabel('Type story to confirm').fill('story');
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await row('story').waitFor({ state: 'detached' });
  });

  await step('a session that only views sees each view, and each recorded write is refused to it with an audit line', async () => {
    await goTo('access');
    await button('Create token').click();
    await dialog().getByLabel('Name').fill('viewer');
    await dialog().getByRole('button', { name: 'Create token' }).click();
    const token = await dialog().getByRole('textbox', { name: 'Token' }).inputValue();
    await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();

    const viewer = await signInByToken(token, 'overview');
    for (const link of await viewer.getByRole('navigation').getByRole('link').all()) {
      await link.click();
      await viewer.getByRole('heading', { level: 1, name: (await link.textContent()).trim(), exact: true }).waitFor();
      assert.deepEqual(await viewer.getByRole('button', { name: CHANGES }).allTextContents(), [], await link.textContent());
    }
    // What the checks below send is recorded too.
    const recorded = [...writes];
    const kinds = new Set(recorded.map(({ address }) => /\/v1\/(\w+)/.exec(address)?.[1]));
    assert.deepEqual(CHANGED.filter((kind) => !kinds.has(kind)), [], 'kinds without a recorded write');
    await expectRefusals(viewer, recorded);
    // The checks find an admitted write, and a write without a line.
    const volume = { apiVersion: 'holdfast.dev/v1', kind: 'Volume', metadata: { name: 'tried' }, spec: { size: '16Mi', numberOfReplicas: 1 } };
    const tried = { method: 'POST', address: '/apis/holdfast.dev/v1/volumes?dryRun=All', type: 'application/json', body: JSON.stringify(volume) };
    await assert.rejects(expectRefusals(page, [tried]), /did not refuse: POST .*volumes\?dryRun=All: 201/);
    const readLog = () => execFileSync(holdfast, ['audit', '--user', 'viewer', '-o', 'json', '--data', data], { encoding: 'utf8' });
    await expectLines(recorded, 'viewer', readLog);
    await assert.rejects(expectLines([...recorded, tried], 'viewer', readLog, 0), /refusals without an audit line/);
    console.log(`${recorded.length} writes were refused`);
    await viewer.context().close();
  });

  await step('signing out ends the session', async () => {
    await button('Sign out').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const answer = await page.evaluate(async () => (await fetch('../apis/holdfast.dev/v1/volumes')).status);
    assert.equal(answer, 401);
  });
});
