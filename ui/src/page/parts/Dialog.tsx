import {
  Button, Checkbox, Form, FormGroup, FormHelperText, HelperText, HelperTextItem, FormSelect, FormSelectOption, Modal, ModalBody,
  ModalFooter, ModalHeader, TextArea, TextInput,
} from '@patternfly/react-core';
import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { ApiError } from '../api/client';
import { useText } from '../text/text';
import { Failure } from './Failure';

interface DialogProps {
  title: string;
  submit: string;
  danger?: boolean;
  disabled?: boolean;
  /** Whether only the close button remains. */
  done?: boolean;
  wide?: boolean;
  close: () => void;
  /** Action of the form. The dialog shows a refusal. It closes unless the result is MORE. */
  act: () => Promise<unknown>;
  /** Content of the form. As a function, it shows refusals of fields at these fields. */
  children?: ReactNode | ((error: ApiError | undefined) => ReactNode);
}

/** Result of a step that another form follows. */
export const MORE = Symbol('more');

/** A form in a dialog. Input is kept while the connection is broken and after a refusal. */
export function Dialog({ title, submit, danger = false, disabled = false, done = false, wide = false, close, act, children }: DialogProps) {
  const text = useText();
  const id = useId();
  const [error, setError] = useState<Error>();
  const [running, setRunning] = useState(false);

  async function send(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (running || disabled) {
      return;
    }
    setRunning(true);
    setError(undefined);
    try {
      if ((await act()) === MORE) {
        setRunning(false);
      } else {
        close();
      }
    } catch (refusal) {
      setError(refusal instanceof Error ? refusal : new Error(String(refusal)));
      setRunning(false);
    }
  }

  const refusal = error instanceof ApiError ? error : undefined;
  return (
    <Modal isOpen variant={wide ? 'medium' : 'small'} onClose={close} aria-labelledby={`${id}-title`}>
      <ModalHeader title={title} labelId={`${id}-title`} />
      <ModalBody>
        <Form id={`${id}-form`} onSubmit={(event) => void send(event)}>
          <Failure error={error} />
          {typeof children === 'function' ? children(refusal) : children}
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button type="submit" form={`${id}-form`} variant={danger ? 'danger' : 'primary'} isDisabled={disabled} isLoading={running}>
          {submit}
        </Button>
        {!done && (
          <Button variant="link" onClick={close}>
            {text('form.cancel')}
          </Button>
        )}
      </ModalFooter>
    </Modal>
  );
}

interface FieldProps {
  label: string;
  value: string;
  change: (value: string) => void;
  required?: boolean;
  /** The API's message about this field. */
  problem?: string | undefined;
  type?: 'text' | 'number' | 'url' | 'password';
}

function Problem({ id, problem }: { id: string; problem: string | undefined }) {
  return (
    problem && (
      <FormHelperText>
        <HelperText id={`${id}-problem`} isLiveRegion>
          <HelperTextItem variant="error">{problem}</HelperTextItem>
        </HelperText>
      </FormHelperText>
    )
  );
}

export function TextField({ label, value, change, required = false, problem, type = 'text' }: FieldProps) {
  const id = useId();
  return (
    <FormGroup label={label} fieldId={id} isRequired={required}>
      <TextInput
        id={id}
        type={type}
        value={value}
        isRequired={required}
        autoComplete="off"
        validated={problem ? 'error' : 'default'}
        aria-describedby={problem ? `${id}-problem` : undefined}
        onChange={(_event, next) => change(next)}
      />
      <Problem id={id} problem={problem} />
    </FormGroup>
  );
}

interface LongTextProps {
  label: string;
  value: string;
  change: (value: string) => void;
  rows: number;
}

export function LongTextField({ label, value, change, rows }: LongTextProps) {
  const id = useId();
  return (
    <FormGroup label={label} fieldId={id}>
      <TextArea
        id={id}
        className="holdfast-yaml"
        value={value}
        rows={rows}
        spellCheck={false}
        onChange={(_event, next) => change(next)}
      />
    </FormGroup>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  change: (value: string) => void;
  options: { value: string; label: string }[];
  /** The API's message about this field. */
  problem?: string | undefined;
}

export function ChoiceField({ label, value, change, options, problem }: ChoiceProps) {
  const id = useId();
  return (
    <FormGroup label={label} fieldId={id}>
      <FormSelect
        id={id}
        value={value}
        validated={problem ? 'error' : 'default'}
        aria-describedby={problem ? `${id}-problem` : undefined}
        onChange={(_event, next) => change(next)}
      >
        {options.map((option) => (
          <FormSelectOption key={option.value} value={option.value} label={option.label} />
        ))}
      </FormSelect>
      <Problem id={id} problem={problem} />
    </FormGroup>
  );
}

interface CheckProps {
  label: string;
  value: boolean;
  change: (value: boolean) => void;
}

export function CheckField({ label, value, change }: CheckProps) {
  const id = useId();
  return <Checkbox id={id} label={label} isChecked={value} onChange={(_event, next) => change(next)} />;
}

interface TypedNameProps {
  title: string;
  name: string;
  submit: string;
  close: () => void;
  act: () => Promise<unknown>;
  /** Content above the field. */
  children?: ReactNode;
}

/** Prompts for the name of the resource that will be lost. */
export function TypedNameDialog({ title, name, submit, close, act, children }: TypedNameProps) {
  const text = useText();
  const [typed, setTyped] = useState('');
  return (
    <Dialog title={title} submit={submit} danger disabled={typed !== name} close={close} act={act}>
      {children}
      <TextField label={text('form.typeName', { name })} value={typed} change={setTyped} required />
    </Dialog>
  );
}
