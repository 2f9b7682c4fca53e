// @vitest-environment happy-dom
// Shows every view with texts of users that are markup. Each must stay text, and each control must have a name.
import { cleanup, screen, waitFor } from '@testing-library/react';
import type { ComponentType } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MARKUP, plantedElements, unnamed } from '../test/checks';
import { FakeApi } from '../test/fakeApi';
import { show } from '../test/show';
import AccessView from './AccessView';
import BackupsView from './BackupsView';
import EventsView from './EventsView';
import ImagesView from './ImagesView';
import JobsView from './JobsView';
import NodesView from './NodesView';
import { Overview } from './Overview';
import SettingsView from './SettingsView';
import SystemBackupsView from './SystemBackupsView';
import { VolumesView } from './VolumesView';

type View = ComponentType<{ name: string | undefined; canWrite: boolean }>;

const VIEWS: [string, View][] = [
  ['overview', Overview as View],
  ['volumes', VolumesView],
  ['nodes', NodesView as View],
  ['backups', BackupsView as View],
  ['system backups', SystemBackupsView as View],
  ['jobs', JobsView as View],
  ['images', ImagesView],
  ['events', EventsView as View],
  ['access', AccessView as View],
  ['settings', SettingsView as View],
];

const CONDITION = { type: 'Ready', status: 'False', reason: MARKUP, message: MARKUP };

/** Adds a resource of each kind, with markup in each text that a user or a plugin can set. */
function plant(): void {
  const api = new FakeApi().install();
  const put = (plural: string, spec: object, status: object) =>
    api.put(plural as 'volumes', { metadata: { name: 'one', creationTimestamp: '2026-01-01T00:00:00Z' }, spec, status } as never);
  put('volumes', { size: '1Gi', numberOfReplicas: 1, dataEngine: MARKUP, backingImage: MARKUP }, {
    state: 'detached', robustness: 'unknown', currentNodeID: MARKUP, replicas: [], actualSize: '0', conditions: [CONDITION],
  });
  put('volumeattachments', { volume: 'one', attachmentTickets: { a: { id: MARKUP, type: MARKUP, nodeID: MARKUP, parameters: {} } } }, {
    attachmentTicketStatuses: { a: { id: MARKUP, satisfied: false, conditions: [CONDITION] } },
  });
  put('deletedvolumes', { volumeUID: 'u', volumeSpec: { size: MARKUP }, actualSize: '0', purgeAt: '2026-01-02T00:00:00Z', undelete: false }, {
    state: 'kept', message: MARKUP,
  });
  put('nodes', { allowScheduling: true, evictionRequested: false, disks: { d: { path: MARKUP, allowScheduling: true, storageReserved: '0' } } }, {
    address: MARKUP, version: MARKUP, engines: [MARKUP], frontends: [MARKUP], conditions: [CONDITION],
    diskStatus: { d: { diskUUID: 'u', path: MARKUP, storageMaximum: '1Gi', storageAvailable: '1Gi', filesystem: MARKUP, conditions: [CONDITION] } },
  });
  put('backuptargets', { backupTargetURL: MARKUP, credentialSecret: '', compressionMethod: '' }, { available: false, conditions: [CONDITION] });
  put('backups', { volume: MARKUP, backupTargetName: MARKUP }, { state: MARKUP, progress: 1, url: '', volumeSize: '0', size: '0', error: MARKUP });
  put('backupvolumes', { volumeName: MARKUP, backupTargetName: MARKUP }, {
    size: '0', lastBackupName: '', backups: 0, backingImageName: MARKUP, backingImageChecksum: '', conditions: [],
  });
  put('systembackups', { backupTargetName: MARKUP }, { state: MARKUP, size: '0', items: 0, volumes: 0, failures: [MARKUP], error: MARKUP });
  put('systemrestores', { systemBackup: MARKUP }, { state: MARKUP, kinds: [], failures: [MARKUP], pendingVolumes: 0, error: MARKUP });
  put('recurringjobs', { task: MARKUP, cron: MARKUP, timeZone: MARKUP, groups: [MARKUP], retain: 1, suspend: false }, { lastErrors: [MARKUP], lastSkipped: [MARKUP] });
  put('backingimages', { sourceType: MARKUP, sourceParameters: {}, checksum: '', cleanupDisks: [], diskFileSpecMap: {}, minNumberOfCopies: 1 }, {
    size: '0', checksum: '', diskFileStatusMap: { d: { state: 'failed', progress: 0, message: MARKUP } },
  });
  put('events', { regarding: { kind: 'Volume', name: MARKUP }, type: 'Warning', reason: MARKUP, message: MARKUP, count: 1 }, {});
  put('settings', { value: MARKUP }, { applied: true });
  put('accesstokens', { role: MARKUP, secretHash: '', description: MARKUP }, { lastUsedFrom: MARKUP });
  put('accessroles', { description: MARKUP, rules: [{ verbs: [MARKUP], kinds: [], names: [], paths: [] }] }, {});
  put('accessbindings', { role: MARKUP, users: [MARKUP], groups: [] }, {});
}

beforeEach(plant);

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test.each(VIEWS)('the view %s shows markup as text, and each control has a name', async (_name, Component) => {
  show(<Component name={undefined} canWrite />);
  await waitFor(() => expect(document.body.textContent).toContain(MARKUP));
  expect(plantedElements()).toBe(0);
  expect(unnamed()).toEqual([]);
});

test('the checks find a name that is rendered as markup, and a control without a name', () => {
  show(
    <>
      <p dangerouslySetInnerHTML={{ __html: MARKUP }} />
      <button type="button" />
      <input aria-label="named" />
      <table />
    </>,
  );
  expect(screen.getByText('planted')).toBeDefined();
  expect(plantedElements()).toBe(1);
  expect(unnamed()).toHaveLength(2);
});
