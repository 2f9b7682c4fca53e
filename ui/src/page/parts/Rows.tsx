import { Bullseye, Checkbox, Spinner } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useId, type ReactNode } from 'react';
import type { ApiError } from '../api/client';
import { useText } from '../text/text';
import { Failure } from './Failure';

export interface Column<R> {
  /** Unique in the table. Default: the title. */
  key?: string;
  title: string;
  cell: (row: R) => ReactNode;
}

export interface Selection<R> {
  isSelected: (row: R) => boolean;
  select: (row: R, selected: boolean) => void;
}

interface Props<R> {
  label: string;
  rows: R[] | undefined;
  error?: ApiError | undefined;
  columns: Column<R>[];
  keyOf: (row: R) => string;
  actions?: (row: R) => ReactNode;
  actionsTitle?: string;
  selection?: Selection<R> | undefined;
}

/** A table of resources with one style, one empty text and one loading state for all views. */
export function Rows<R>({ label, rows, error, columns, keyOf, actions, actionsTitle, selection }: Props<R>) {
  const text = useText();
  const id = useId();
  if (error) {
    return <Failure error={error} />;
  }
  if (!rows) {
    return (
      <Bullseye>
        <Spinner aria-label={text('app.loading')} />
      </Bullseye>
    );
  }
  if (rows.length === 0) {
    return <p>{text('table.empty')}</p>;
  }
  return (
    <Table aria-label={label} variant="compact">
      <Thead>
        <Tr>
          {selection && <Th screenReaderText={text('table.select', { name: label })} />}
          {columns.map((column) => (
            <Th key={column.key ?? column.title}>{column.title}</Th>
          ))}
          {actions && (actionsTitle ? <Th>{actionsTitle}</Th> : <Th screenReaderText={text('column.operation')} />)}
        </Tr>
      </Thead>
      <Tbody>
        {rows.map((row) => (
          <Tr key={keyOf(row)}>
            {selection && (
              <Td>
                <Checkbox
                  id={`${id}-${keyOf(row)}`}
                  aria-label={text('table.select', { name: keyOf(row) })}
                  isChecked={selection.isSelected(row)}
                  onChange={(_event, selected) => selection.select(row, selected)}
                />
              </Td>
            )}
            {columns.map((column) => (
              <Td key={column.key ?? column.title} dataLabel={column.title}>
                {column.cell(row)}
              </Td>
            ))}
            {actions && <Td isActionCell>{actions(row)}</Td>}
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
