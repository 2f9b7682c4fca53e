import { Label } from '@patternfly/react-core';

const COLOURS: Record<string, 'green' | 'red' | 'orange' | 'blue' | 'grey'> = {
  healthy: 'green',
  ready: 'green',
  attached: 'green',
  RW: 'green',
  Completed: 'green',
  DONE: 'green',
  active: 'green',
  removed: 'green',
  Ready: 'green',
  degraded: 'orange',
  WENT_BACK: 'orange',
  WO: 'orange',
  Warning: 'orange',
  faulted: 'red',
  failed: 'red',
  ERR: 'red',
  Error: 'red',
  skipped: 'orange',
  kept: 'orange',
  waiting: 'orange',
  REFUSED: 'red',
  FAILED: 'red',
  attaching: 'blue',
  detaching: 'blue',
  creating: 'blue',
  deleting: 'blue',
  'in-progress': 'blue',
  InProgress: 'blue',
  removing: 'blue',
  restoring: 'blue',
  purging: 'blue',
  VolumeBackups: 'blue',
  Uploading: 'blue',
  RUNNING: 'blue',
  RESTARTING: 'blue',
  VERIFYING: 'blue',
  REVERTING: 'blue',
};

/** A coloured label of a state. The text has the same information as the colour. */
export function StateLabel({ state, text }: { state: string; text?: string }) {
  return state === '' ? null : <Label color={COLOURS[state] ?? 'grey'}>{text ?? state}</Label>;
}
