// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from '../api/client';
import { Texts } from '../text/text';
import { Dialog, TextField, TypedNameDialog } from './Dialog';

afterEach(cleanup);

test('a refusal stands at its field and the input stays', async () => {
  const user = userEvent.setup();
  const close = vi.fn();
  const refuse = () => Promise.reject(new ApiError(422, 'Invalid', 'refused', [{ field: 'spec.size', message: 'must be larger' }]));
  render(
    <Texts>
      <Dialog title="Grow" submit="Grow it" close={close} act={refuse}>
        {(refusal) => <TextField label="Size" value="1Ki" change={() => undefined} problem={refusal?.about('spec.size')} />}
      </Dialog>
    </Texts>,
  );
  await user.click(screen.getByRole('button', { name: 'Grow it' }));
  const problem = await screen.findByText('must be larger');
  const field = screen.getByLabelText('Size');
  expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.contains(problem)).toBe(true);
  expect((field as HTMLInputElement).value).toBe('1Ki');
  expect(close).not.toHaveBeenCalled();
});

test('a deletion waits for the name', async () => {
  const user = userEvent.setup();
  const act = vi.fn(() => Promise.resolve());
  render(
    <Texts>
      <TypedNameDialog title="Delete?" name="demo" submit="Delete" close={() => undefined} act={act} />
    </Texts>,
  );
  const submit = screen.getByRole('button', { name: 'Delete' }) as HTMLButtonElement;
  expect(submit.disabled).toBe(true);
  await user.type(screen.getByLabelText('Type demo to confirm', { exact: false }), 'demo');
  expect(submit.disabled).toBe(false);
  await user.click(submit);
  expect(act).toHaveBeenCalledOnce();
});

test('markup in a message stays text', () => {
  render(
    <Texts>
      <Dialog title="<b>bold</b>" submit="Do" close={() => undefined} act={() => Promise.resolve()} />
    </Texts>,
  );
  expect(screen.getByText('<b>bold</b>')).toBeTruthy();
  expect(document.querySelector('b')).toBeNull();
});
