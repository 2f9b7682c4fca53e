// Options of this contribution.

/** Number of volumes on the card. */
export const SHOWN = ${shown};
