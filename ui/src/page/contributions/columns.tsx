// The columns of contributions in lists.
import type { Resource as ResourceOfSdk, TabKind } from '../../../sdk';
import type { Resource } from '../api/types';
import type { Column } from '../parts/Rows';
import { useLanguage } from '../text/text';
import { Area, keyOf, partsOf, titleOf } from './Area';
import { useContributions } from './store';

/** Returns the columns of contributions for the list of a kind. */
export function useContributedColumns<R extends Resource>(kind: TabKind): Column<R>[] {
  const { language } = useLanguage();
  return partsOf(useContributions(), ({ columns }) => columns)
    .filter(({ part }) => part.kind === kind)
    .map((column) => ({
      key: keyOf(column),
      title: titleOf(column.part.title, language),
      cell: (row) => (
        <Area listing={column.listing} inCell>
          <column.part.component resource={row as unknown as ResourceOfSdk} />
        </Area>
      ),
    }));
}
