import { Button, Tooltip } from '@patternfly/react-core';
import type { BackingImage } from '../api/types';
import { Rows, type Column, type Selection } from '../parts/Rows';
import { StateLabel } from '../parts/StateLabel';
import { useText } from '../text/text';

export interface DiskFile {
  disk: string;
  state: string;
  progress: number;
  message: string;
}

/** Returns the files of an image, sorted by disk. */
export function filesOf({ status }: BackingImage): DiskFile[] {
  return Object.entries(status.diskFileStatusMap)
    .map(([disk, file]) => ({ disk, ...file }))
    .sort((a, b) => (a.disk < b.disk ? -1 : 1));
}

function FileState({ state, message }: DiskFile) {
  if (!message) {
    return <StateLabel state={state} />;
  }
  // A button, so that the keyboard can reach the tooltip.
  return (
    <Tooltip content={message}>
      <Button variant="link" isInline>
        <StateLabel state={state} />
      </Button>
    </Tooltip>
  );
}

interface Props {
  files: DiskFile[];
  selection?: Selection<DiskFile>;
}

/** The files of an image on disks. */
export function DiskFiles({ files, selection }: Props) {
  const text = useText();
  const columns: Column<DiskFile>[] = [
    { title: text('column.disk'), cell: ({ disk }) => disk },
    { title: text('column.state'), cell: (file) => <FileState {...file} /> },
    { title: text('column.progress'), cell: ({ state, progress }) => (state === 'in-progress' ? `${progress} %` : '') },
  ];
  return <Rows label={text('image.files')} rows={files} columns={columns} keyOf={({ disk }) => disk} selection={selection} />;
}
