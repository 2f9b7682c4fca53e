// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { FakeApi } from '../test/fakeApi';
import { show } from '../test/show';
import JobsView from './JobsView';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('a job shows why its last run failed for a volume, and why it skipped another', async () => {
  const api = new FakeApi().install();
  api.put('recurringjobs', {
    metadata: { name: 'trim' },
    spec: { task: 'filesystem-trim', cron: '@daily', timeZone: 'UTC', groups: ['default'], retain: 0, suspend: false },
    status: { lastErrors: ['volume va: the trim failed.'], lastSkipped: ['volume vb: it is not attached'] },
  });
  show(<JobsView canWrite={false} />);
  expect(await screen.findByText('volume va: the trim failed. Skipped: volume vb: it is not attached.')).toBeDefined();
});
