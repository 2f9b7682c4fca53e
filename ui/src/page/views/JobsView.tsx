import { Button } from '@patternfly/react-core';
import { useState } from 'react';
import { create, patch, remove } from '../api/client';
import { useLive } from '../api/live';
import { ageText } from '../api/quantity';
import type { RecurringJob } from '../api/types';
import { Actions } from '../parts/Actions';
import { useNow } from '../parts/clock';
import { ChoiceField, Dialog, TextField, TypedNameDialog } from '../parts/Dialog';
import { Rows, type Column } from '../parts/Rows';
import { View } from '../parts/View';
import { useText, type TextFunction } from '../text/text';

/** The task for the whole cluster. It has no groups, because it does not process volumes. */
const SYSTEM_BACKUP = 'system-backup';

const TASKS = ['snapshot', 'snapshot-force-create', 'snapshot-delete', 'snapshot-cleanup', 'backup', 'backup-force-create', 'backup-verify', 'filesystem-trim', SYSTEM_BACKUP];

function CreateJob({ close }: { close: () => void }) {
  const text = useText();
  const [name, setName] = useState('');
  const [task, setTask] = useState('snapshot');
  const [cron, setCron] = useState('@daily');
  const [retain, setRetain] = useState('7');
  const [group, setGroup] = useState('default');
  const groups = task === SYSTEM_BACKUP || group === '' ? [] : [group];
  const act = () => create('recurringjobs', name, { task, cron, retain: Number(retain), groups });
  return (
    <Dialog title={text('job.create')} submit={text('job.create')} close={close} act={act}>
      {(refusal) => (
        <>
          <TextField label={text('column.name')} value={name} change={setName} required problem={refusal?.about('metadata.name')} />
          <ChoiceField label={text('job.task')} value={task} change={setTask} options={TASKS.map((each) => ({ value: each, label: each }))} />
          <TextField label={text('job.cron')} value={cron} change={setCron} required problem={refusal?.about('spec.cron')} />
          <TextField
            label={text('job.retain')}
            type="number"
            value={retain}
            change={setRetain}
            required
            problem={refusal?.about('spec.retain')}
          />
          {task !== SYSTEM_BACKUP && (
            <TextField label={text('job.group')} value={group} change={setGroup} problem={refusal?.about('spec.groups')} />
          )}
        </>
      )}
    </Dialog>
  );
}

/** Returns why the last run failed for some volumes and skipped others. */
function outcome({ lastErrors, lastSkipped }: RecurringJob['status'], text: TextFunction): string {
  return [...lastErrors, ...lastSkipped.map((reason) => text('job.skipped', { reason }))].join(' ');
}

/** Recurring jobs. */
export default function JobsView({ canWrite }: { canWrite: boolean }) {
  const text = useText();
  const now = useNow();
  const { items, error } = useLive('recurringjobs');
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<RecurringJob>();
  const [pausing, setPausing] = useState<RecurringJob>();
  const columns: Column<RecurringJob>[] = [
    { title: text('column.name'), cell: ({ metadata }) => metadata.name },
    { title: text('column.task'), cell: ({ spec }) => spec.task },
    { title: text('column.cron'), cell: ({ spec }) => `${spec.cron} (${spec.timeZone})` },
    { title: text('column.retain'), cell: ({ spec }) => spec.retain },
    { title: text('column.state'), cell: ({ spec }) => text(spec.suspend ? 'state.suspended' : 'state.active') },
    { title: text('column.last'), cell: ({ status }) => ageText(status.lastScheduledAt, now) },
    { title: text('column.next'), cell: ({ status }) => status.nextScheduledAt ?? '' },
    { title: text('column.message'), cell: ({ status }) => outcome(status, text) },
  ];
  const pauseLabel = (job: RecurringJob) => text(job.spec.suspend ? 'job.resume' : 'job.suspend');
  return (
    <View title={text('nav.jobs')} actions={canWrite && <Button onClick={() => setCreating(true)}>{text('job.create')}</Button>}>
      <Rows
        label={text('nav.jobs')}
        rows={items}
        error={error}
        columns={columns}
        keyOf={({ metadata }) => metadata.name}
        {...(canWrite && {
          actions: (job: RecurringJob) => (
            <Actions
              label={text('table.actions', { name: job.metadata.name })}
              actions={[
                { label: pauseLabel(job), run: () => setPausing(job) },
                { label: text('job.delete'), danger: true, run: () => setDeleting(job) },
              ]}
            />
          ),
        })}
      />
      {creating && <CreateJob close={() => setCreating(false)} />}
      {pausing && (
        <Dialog
          title={`${pauseLabel(pausing)}: ${pausing.metadata.name}`}
          submit={pauseLabel(pausing)}
          close={() => setPausing(undefined)}
          act={() => patch('recurringjobs', pausing.metadata.name, { spec: { suspend: !pausing.spec.suspend } })}
        />
      )}
      {deleting && (
        <TypedNameDialog
          title={text('job.deleteTitle', { name: deleting.metadata.name })}
          name={deleting.metadata.name}
          submit={text('job.delete')}
          close={() => setDeleting(undefined)}
          act={() => remove('recurringjobs', deleting.metadata.name, deleting.metadata.uid)}
        />
      )}
    </View>
  );
}
