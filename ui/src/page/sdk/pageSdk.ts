// The module @holdfast/page-sdk of contributions. Its types are published in ui/sdk.
import { useEffect, useState } from 'react';
import type * as Sdk from '../../../sdk';
import { isAllowed, patch } from '../api/client';
import { useLive } from '../api/live';
import { bytesOf, sizeText } from '../api/quantity';
import type { Plural } from '../api/types';
import { useContribution } from '../contributions/context';

function useResources(kind: string): Sdk.Resources {
  const { name, kinds } = useContribution();
  if (!kinds.includes(kind)) {
    throw new Error(`kind "${kind}": the contribution ${name} declares ${kinds.join(', ') || 'no kinds'} only`);
  }
  const { items, error } = useLive(kind as Plural);
  return { items: items as unknown as Sdk.Resource[] | undefined, error };
}

function useResource(kind: string, name: string): Sdk.Resource | undefined {
  return useResources(kind).items?.find(({ metadata }) => metadata.name === name);
}

function useAllowed(verb: string, kind: string, name?: string): boolean | undefined {
  const [allowed, setAllowed] = useState<boolean>();
  useEffect(() => {
    const abort = new AbortController();
    setAllowed(undefined);
    isAllowed({ verb, kind, ...(name ? { name } : {}) }, abort.signal).then(setAllowed, () => {
      if (!abort.signal.aborted) {
        setAllowed(false);
      }
    });
    return () => abort.abort();
  }, [verb, kind, name]);
  return allowed;
}

async function changeResource(kind: string, name: string, change: object): Promise<Sdk.Resource> {
  return (await patch(kind as Plural, name, change)) as unknown as Sdk.Resource;
}

// Fails to compile if the page and the published types differ.
({ useResources, useResource, useAllowed, changeResource, bytesOf, sizeText }) satisfies typeof Sdk;

export { bytesOf, changeResource, sizeText, useAllowed, useResource, useResources };
