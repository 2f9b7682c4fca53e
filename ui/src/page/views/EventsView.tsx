import { Flex, SearchInput, Switch } from '@patternfly/react-core';
import { setParameter, useRoute } from '../parts/route';
import { View } from '../parts/View';
import { useText } from '../text/text';
import { EventRows } from './EventRows';

/** All events, with filters that are stored in the address. */
export default function EventsView() {
  const text = useText();
  const route = useRoute();
  const filter = route.parameters.get('filter') ?? '';
  const warnings = route.parameters.get('warnings') === 'true';
  return (
    <View title={text('nav.events')}>
      <Flex className="holdfast-toolbar">
        <SearchInput
          aria-label={text('table.filter')}
          placeholder={text('table.filter')}
          value={filter}
          onChange={(_event, value) => setParameter(route, 'filter', value)}
          onClear={() => setParameter(route, 'filter', '')}
        />
        <Switch
          id="warnings"
          label={text('events.warnings')}
          isChecked={warnings}
          onChange={(_event, checked) => setParameter(route, 'warnings', checked ? 'true' : '')}
        />
      </Flex>
      <EventRows filter={filter} warningsOnly={warnings} />
    </View>
  );
}
