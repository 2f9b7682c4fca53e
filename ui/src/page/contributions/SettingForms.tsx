// The forms of contributions in the view of settings.
import type { SettingAccess, SettingForm } from '../../../sdk';
import type { Setting } from '../api/types';
import { setSetting, unsetSetting } from '../api/settings';
import { Part as PartOfView } from '../parts/View';
import { useLanguage } from '../text/text';
import { Area, keyOf, partsOf, titleOf } from './Area';
import { useContributions } from './store';

/** Passes only a form's own settings to it. */
function accessOf({ id, settings }: SettingForm, items: Setting[] | undefined, canChange: boolean): SettingAccess {
  const named = (name: string): Setting | undefined => {
    if (!settings.includes(name)) {
      throw new Error(`form "${id}": setting "${name}": the form names ${settings.join(', ')} only`);
    }
    return items?.find(({ metadata }) => metadata.name === name);
  };
  return {
    canChange,
    valueOf: (name) => named(name)?.spec.value,
    async change(name, value) {
      const now = named(name);
      if (value !== undefined) {
        await setSetting(name, value);
      } else if (now) {
        await unsetSetting(now);
      }
    },
  };
}

export function SettingForms({ items, canChange }: { items: Setting[] | undefined; canChange: boolean }) {
  const { language } = useLanguage();
  return partsOf(useContributions(), ({ forms }) => forms).map((form) => (
    <PartOfView key={keyOf(form)} title={titleOf(form.part.title, language)}>
      <Area listing={form.listing}>
        <form.part.component access={accessOf(form.part, items, canChange)} />
      </Area>
    </PartOfView>
  ));
}
