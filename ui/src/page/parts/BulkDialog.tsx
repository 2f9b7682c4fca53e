import { useState, type ReactNode } from 'react';
import type { Resource } from '../api/types';
import { useText } from '../text/text';
import { Dialog, TextField } from './Dialog';

interface Props<R extends Resource> {
  title: (count: number) => string;
  submit: string;
  items: R[];
  danger?: boolean;
  /** Whether the user must type the number of resources first. */
  confirmed?: boolean;
  act: (item: R) => Promise<unknown>;
  close: () => void;
  /** Content between the names and the field. */
  children?: ReactNode;
}

/** Applies an action to each chosen resource. A refusal does not stop the others; the dialog then shows the refused resources. */
export function BulkDialog<R extends Resource>({ title, submit, items, danger = false, confirmed = false, act, close, children }: Props<R>) {
  const text = useText();
  const [left, setLeft] = useState(items);
  const [typed, setTyped] = useState('');
  const count = String(left.length);

  async function actOnAll(): Promise<void> {
    const results = await Promise.allSettled(left.map(act));
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [String((result.reason as Error).message)] : []));
    setLeft(left.filter((_item, index) => results[index]?.status === 'rejected'));
    setTyped('');
    if (refusals.length > 0) {
      throw new Error(refusals.join(' '));
    }
  }

  return (
    <Dialog title={title(left.length)} submit={submit} danger={danger} disabled={confirmed && typed !== count} close={close} act={actOnAll}>
      <p>{left.map(({ metadata }) => metadata.name).join(', ')}</p>
      {children}
      {confirmed && <TextField label={text('form.typeCount', { count })} value={typed} change={setTyped} required />}
    </Dialog>
  );
}
