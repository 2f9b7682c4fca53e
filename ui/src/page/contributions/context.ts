import { createContext, useContext } from 'react';
import type { Listing } from './types';

const Context = createContext<Listing | undefined>(undefined);

export const ContributionProvider = Context.Provider;

/** Returns the contribution whose component is being rendered. */
export function useContribution(): Listing {
  const listing = useContext(Context);
  if (!listing) {
    throw new Error('a hook of @holdfast/page-sdk works in a component of a registered part only');
  }
  return listing;
}
