// Changes of settings.
import { ApiError, create, patch, remove } from './client';
import type { Setting } from './types';

const EXISTS = 'AlreadyExists';

export async function setSetting(name: string, value: string): Promise<void> {
  try {
    await create('settings', name, { value });
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === EXISTS)) {
      throw error;
    }
    await patch('settings', name, { spec: { value } });
  }
}

/** Resets a setting to its default. */
export function unsetSetting({ metadata }: Setting): Promise<void> {
  return remove('settings', metadata.name, metadata.uid);
}
